"""OpenCode's own server, wrapped and followed: what its clients say stands once."""

import contextlib
import http.client
import importlib
import json
import os
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.e2e.rigrun import BIN

pytestmark = [pytest.mark.e2e, pytest.mark.shared]

_READY = 20.0  # seconds that the server may take to start, and a step of it


class Server:
    """A wrapped `opencode serve` on the scripted model, in a home of its own."""

    def __init__(self, shared: Path, base: Path, cache: Path, hidden: str) -> None:
        self.port, self.hidden = _free(), hidden
        home, work = base / "home", base / "work"
        home.mkdir()
        work.mkdir()
        scenario = shared / "rig" / "scenarios" / "hello.json"
        self.script: dict[str, Any] = json.loads(scenario.read_text("utf-8"))
        self.model = importlib.import_module("fakemodel").serve(0, self.script, base / "model")
        agent = importlib.import_module("agents").AGENTS["opencode"]
        agent = agent() if isinstance(agent, type) else agent
        model = self.model.server_address[1]
        agent.setup(home, model, work)
        self.env = {
            "HOME": str(home), "PATH": os.environ["PATH"], "LANG": "C.UTF-8",
            "DEJAVU_DATA_HOME": str(base / "d"), "DEJAVU_STATE_HOME": str(base / "s"),
            "TERM": "xterm-256color", **agent.env(model),
        }  # fmt: skip
        program = cache / "opencode" / "node_modules" / ".bin" / "opencode"
        own = ["--", "env", f"XDG_DATA_HOME={base / hidden}"] if hidden else ["--"]
        self.process = subprocess.Popen(
            [BIN / "dejavu-run", "--headless", "--agent", "opencode", "--name", "server", *own,
             program, "serve", "--port", str(self.port)],
            env=self.env, cwd=work, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
        )  # fmt: skip

    def ask(self, path: str, body: Any, patience: float = _READY) -> Any:
        """What the server answers to a POST."""
        line = http.client.HTTPConnection("127.0.0.1", self.port, timeout=patience)
        with contextlib.closing(line):
            line.request("POST", path, json.dumps(body), {"Content-Type": "application/json"})
            return json.loads(line.getresponse().read())

    def dejavu(self, *words: str) -> Any:
        """A command's JSON."""
        done = subprocess.run(
            [BIN / "dejavu", *words, "--json"], env=self.env, capture_output=True, check=True
        )
        return json.loads(done.stdout)

    def end(self) -> None:
        """Stop what was started."""
        self.process.terminate()
        self.process.wait(_READY)
        self.model.shutdown()
        self.model.server_close()


def _free() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def _until(so: Callable[[], Any]) -> Any:
    end = time.monotonic() + _READY
    while time.monotonic() < end:
        try:
            if found := so():
                return found
        except (OSError, http.client.HTTPException):
            pass
        time.sleep(0.2)
    pytest.fail("it never came")


@pytest.fixture(params=["", "hidden"], ids=["beside its database", "alone"])
def server(
    request: pytest.FixtureRequest, shared: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Server]:
    cache = Path(os.environ.get("RIG_NPM", Path.home() / ".cache" / "agent-clis"))
    if not (cache / "opencode").is_dir():
        pytest.skip("OpenCode is not in RIG_NPM")
    monkeypatch.syspath_prepend(str(shared / "rig"))
    running = Server(shared, tmp_path, cache, request.param)
    yield running
    if running.process.poll() is None:
        running.end()


def test_followed(server: Server) -> None:
    # The first request of a server that is still starting may hang for good.
    session = _until(lambda: server.ask("/session", {}, patience=3.0))["id"]
    _until(lambda: _listened(server.port))  # what is said before is not heard
    prompts = [turn["user"] for turn in server.script["turns"]]
    for prompt in prompts:
        server.ask(f"/session/{session}/message", {"parts": [{"type": "text", "text": prompt}]})
    told = _until(
        lambda: [
            one for one in server.dejavu("status")["sessions"] if one["state"] in ("idle", "done")
        ]
    )
    assert told[0]["rule"] == "signal"
    server.end()
    (head,) = server.dejavu("list")["conversations"]
    assert head["vectors"] == (["stream"] if server.hidden else ["native"])
    shown = server.dejavu("show", head["id"])["turns"]
    said = [(one["role"], "".join(part.get("content", "") for part in one["parts"]))
            for one in shown]  # fmt: skip
    answers = ["".join(piece["text"] for piece in turn["reply"][0])
               for turn in server.script["turns"]]  # fmt: skip
    pairs = zip(prompts, answers, strict=True)
    assert said == [
        one for prompt, answer in pairs for one in (("user", prompt), ("assistant", answer))
    ]


def _listened(port: int) -> bool:
    """Whether somebody is connected to the port (01 is ESTABLISHED)."""
    lines = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
    return any(line[2] == f"0100007F:{port:04X}" and line[3] == "01" for line in lines)
