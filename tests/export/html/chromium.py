"""A headless Chromium for tests, driven over its debugging pipe: no driver, no port.

Takes pages as files; gives what a reader would meet: errors, requests, sizes, pictures, and the
result of any expression. Skips with a reason where no Chromium is installed.
"""

import base64
import fcntl
import json
import os
import select
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
_FLAGS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
    "--disable-extensions", "--hide-scrollbars", "--remote-debugging-pipe",
)  # fmt: skip
# The pipe's ends must be descriptors 3 and 4: a trampoline puts them there.
_START = (
    "import os,sys;r,w=int(sys.argv[1]),int(sys.argv[2]);"
    "os.dup2(r,3);os.dup2(w,4);os.execvp(sys.argv[3],sys.argv[3:])"
)
PATIENCE = 60.0


class Chromium:
    """One browser with one page."""

    def __init__(self, program: str, profile: Path) -> None:
        into, self._out = os.pipe()
        self._in, out = os.pipe()
        # High numbers first, so that neither end is overwritten by the other's move to 3 or 4.
        ends = [fcntl.fcntl(end, fcntl.F_DUPFD, 10) for end in (into, out)]
        self.process = subprocess.Popen(
            [sys.executable, "-c", _START, *map(str, ends), program, *_FLAGS,
             f"--user-data-dir={profile}", "about:blank"],
            pass_fds=ends, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL, start_new_session=True,
        )  # fmt: skip
        for end in (into, out, *ends):
            os.close(end)
        self._number = 0
        self._held = b""
        self._session: str | None = None
        self.events: list[dict[str, Any]] = []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        attached = self.call("Target.attachToTarget", targetId=target, flatten=True)
        self._session = attached["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log", "DOM", "Accessibility"):
            self.call(f"{domain}.enable")

    def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        """The answer to one command of the DevTools protocol."""
        self._number += 1
        message = {"id": self._number, "method": method, "params": parameters}
        if self._session is not None:
            message["sessionId"] = self._session
        os.write(self._out, json.dumps(message).encode() + b"\0")
        number = self._number
        while True:
            answer = self._read()
            if answer.get("id") == number:
                assert "error" not in answer, (method, answer["error"])
                return answer["result"]

    def _read(self) -> dict[str, Any]:
        end = time.monotonic() + PATIENCE
        while b"\0" not in self._held:
            ready, _, _ = select.select([self._in], [], [], max(0.0, end - time.monotonic()))
            assert ready, f"the browser said nothing for {PATIENCE:.0f} s"
            piece = os.read(self._in, 1 << 16)
            assert piece, "the browser is gone"
            self._held += piece
        first, self._held = self._held.split(b"\0", 1)
        said = json.loads(first)
        if "method" in said:
            self.events.append(said)
        return said

    def open(
        self, page: Path, *, width: int = 1280, height: int = 900, dark: bool = False,
        scripts: bool = False,
    ) -> None:  # fmt: skip
        """Show `page` at a size, in a colour scheme, and wait until it is drawn."""
        self.events.clear()
        self.resize(width, height, dark=dark)
        self.call("Emulation.setScriptExecutionDisabled", value=not scripts)
        self.call("Page.navigate", url=page.as_uri())
        while not any(event["method"] == "Page.loadEventFired" for event in self.events):
            self._read()
        self.value("1")  # everything the load has set off was said before this answer

    def resize(self, width: int, height: int, *, dark: bool) -> None:
        """Another size and colour scheme for the page that is shown."""
        self._resize(width, height)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.call("Emulation.setEmulatedMedia", media="", features=[scheme])

    def key(self, key: str) -> None:
        """Press one key, as a person would."""
        for kind in ("keyDown", "keyUp"):
            text = {"text": key} if kind == "keyDown" and len(key) == 1 else {}
            self.call("Input.dispatchKeyEvent", type=kind, key=key, **text)

    def value(self, expression: str) -> Any:
        """What an expression gives in the page (the debugger may, whatever the page may not)."""
        said = self.call("Runtime.evaluate", expression=expression, returnByValue=True,
                         awaitPromise=True, allowUnsafeEvalBlockedByCSP=True)  # fmt: skip
        assert "exceptionDetails" not in said, said
        return said["result"].get("value")

    def complaints(self) -> list[str]:
        """Errors and warnings of the console, the log and the page's own scripts."""
        said = []
        for event in self.events:
            parameters = event["params"]
            if event["method"] == "Log.entryAdded":
                said.append(str(parameters["entry"]))
            elif event["method"] in ("Runtime.consoleAPICalled", "Runtime.exceptionThrown"):
                said.append(str(parameters))
        return said

    def requests(self) -> list[str]:
        """Addresses asked for, but the page itself and data in the page."""
        asked = [
            event["params"]["request"]["url"]
            for event in self.events
            if event["method"] == "Network.requestWillBeSent"
            and event["params"].get("type") != "Document"
        ]
        return [url for url in asked if not url.startswith("data:")]

    def picture(self, path: Path, *, whole: bool = False) -> Path:
        """A PNG of the window, or of the whole page."""
        if whole:  # a taller window, for what is outside of the window is not drawn
            size = self.call("Page.getLayoutMetrics")["cssContentSize"]
            self._resize(int(size["width"]), min(int(size["height"]), 8000))
            size = self.call("Page.getLayoutMetrics")["cssContentSize"]
            self._resize(int(size["width"]), min(int(size["height"]), 8000))
        path.write_bytes(base64.b64decode(self.call("Page.captureScreenshot")["data"]))
        return path

    def _resize(self, width: int, height: int) -> None:
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height,
                  deviceScaleFactor=1, mobile=width < 600)  # fmt: skip

    def close(self) -> None:
        """End the browser and every process it started."""
        os.close(self._out)
        os.close(self._in)
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()


def start(profile: Path) -> Chromium:
    """A browser, or a skipped test."""
    program = next(filter(None, map(shutil.which, _NAMES)), None)
    if program is None:
        pytest.skip("needs a Chromium (Debian: apt-get install chromium)")
    return Chromium(program, profile)


def axe_path() -> Path:
    """Where axe-core is looked for."""
    return Path(os.environ.get("DEJAVU_AXE", "node_modules/axe-core/axe.min.js"))


def axe() -> str:
    """The source of axe-core, or a skipped test: DEJAVU_AXE names axe.min.js."""
    path = axe_path()
    if not path.is_file():
        pytest.skip("needs axe-core (npm install --no-save axe-core, or DEJAVU_AXE=axe.min.js)")
    return path.read_text()
