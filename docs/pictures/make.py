"""The pictures of the README, made anew from the program itself.

    make pictures

Writes beside itself `film.svg` (a shell in which the program is used), `replay.svg` (the demo agent's
golden recording as a film), `browser.svg` (the browser in a terminal, with a handful of invented
conversations) and `page.png` (an exported page, where a Chromium is installed).
Its archive is in a folder that is thrown away.
"""

import asyncio
import os
import re
import shutil
import subprocess
import sys
import tempfile
from datetime import UTC, datetime
from pathlib import Path

from dejavu.archive import Archive
from dejavu.model import (
    Conversation,
    Part,
    Reasoning,
    Role,
    Text,
    ToolCall,
    ToolCallResponse,
    Turn,
    Usage,
)
from dejavu.providers import Home

sys.path.insert(0, str(Path(__file__).parent))  # folders of docs are no packages
from film import film

HERE = Path(__file__).resolve().parent
RECORDING = HERE.parent.parent / "golden" / "demo" / "tour" / "session.cast"
CHROMIUM = ("chromium", "chromium-browser", "google-chrome")
_FETCHED_FONT = re.compile(r"@font-face\s*\{[^}]*\}\s*")
"""Of a picture drawn by rich: fonts from a host. The next one named is the reader's own."""
NOW = datetime(2026, 11, 20, 10, 30, tzinfo=UTC)
_OLD = """    def tick(self) -> bool:
        self.spent += 1
        return self.spent <= self.limit"""
_NEW = """    def tick(self) -> bool:
        if self.first:
            self.first = False
            return True
        self.spent += 1
        return self.spent <= self.limit"""
_ANSWER = """`tick` counts the **first** try as a retry:

| where | `RETRIES` | tries | retries |
|---|--:|--:|--:|
| CI | 2 | 2 | 1 |
| your machine | 5 | 5 | 4 |

So with a budget of two, the third try is refused. I'll let the first one pass for free."""


def _turns(at: float, *said: tuple[Role, Part]) -> tuple[Turn, ...]:
    """Turns a few seconds apart; those of the assistant name a model and what it used."""
    usage = Usage(input_tokens=14_210, output_tokens=388, cost=0.05)
    return tuple(
        Turn(
            role=role,
            parts=(part,),
            at=at + 7 * number,
            model="claude-opus-5" if role is Role.ASSISTANT else None,
            usage=usage if role is Role.ASSISTANT else None,
        )
        for number, (role, part) in enumerate(said)
    )


def _retry(at: float) -> tuple[Turn, ...]:
    return _turns(
        at,
        (Role.USER, Text("The third retry is refused in CI, but not on my machine. Why?")),
        (Role.ASSISTANT, Reasoning("The budget is two by default. Where is it spent?")),
        (Role.ASSISTANT, ToolCall("1", "Read", {"file_path": "/src/upload/net/retry.py"})),
        (Role.TOOL, ToolCallResponse("1", f"class RetryBudget:\n{_OLD}\n")),
        (Role.ASSISTANT, Text(_ANSWER)),
        (
            Role.ASSISTANT,
            ToolCall(
                "2",
                "Edit",
                {"file_path": "/src/upload/net/retry.py", "old_string": _OLD, "new_string": _NEW},
            ),
        ),
        (Role.TOOL, ToolCallResponse("2", "The file has been updated.")),
        (Role.ASSISTANT, ToolCall("3", "Bash", {"command": "pytest -q tests/net"})),
        (Role.TOOL, ToolCallResponse("3", "............\n12 passed in 0.41s\n")),
        (Role.ASSISTANT, Text("Fixed: a budget of two now means two retries. All twelve pass.")),
        (Role.USER, Text("Good. Say so in the changelog.")),
        (Role.ASSISTANT, Text("Added under *Fixed*: “The first try no longer spends a retry.”")),
    )


def _asked(at: float, question: str, answer: str) -> tuple[Turn, ...]:
    return _turns(at, (Role.USER, Text(question)), (Role.ASSISTANT, Text(answer)))


def conversations() -> list[Conversation]:
    """What the pictures show."""
    day = NOW.timestamp() - 3_600
    others = (
        ("codex", "/src/upload", "Which endpoints still lack a timeout?", "Three of them."),
        ("amp", "/src/site", "Make the nightly build reproducible", "Pinned the base image."),
        ("kimi", "/src/site", "Why is the first paint slow on phones?", "Two fonts block it."),
        ("opencode", "/src/ledger", "Split the importer by bank", "One module a bank now."),
        ("claude", "/src/ledger", "Round half to even, as the auditors ask", "Done, with a test."),
    )
    made = [
        Conversation(id=f"picture{number}", agent=agent, workspace=workspace).with_turns(
            _asked(day - 50_000 * number, question, answer)
        )
        for number, (agent, workspace, question, answer) in enumerate(others, 1)
    ]
    retry = Conversation(
        id="picture0", agent="claude", agent_version="2.1.330", workspace="/src/upload"
    )
    return [retry.with_turns(_retry(day)), *made]


def _dejavu(*words: str) -> None:
    subprocess.run([sys.executable, "-m", "dejavu.interfaces.cli", *words], check=True)


async def _browser(home: Path) -> str:
    from dejavu.config import clock

    clock.now = NOW.timestamp  # "Last 7 days" is the same on any day
    from dejavu.interfaces.tui.app import Browser

    app = Browser(Home(home, {}))
    async with app.run_test(size=(120, 36)) as pilot:
        for key in ("", "enter", ""):
            if key:
                await pilot.press(key)
            await pilot.pause(1.0)
        return app.export_screenshot(title="dejavu", simplify=True)


def _page(home: Path) -> None:
    program = next(filter(None, map(shutil.which, CHROMIUM)), None)
    if program is None:
        sys.stderr.write("page.png is left as it is: no Chromium here\n")
        return
    page = home / "page.html"
    _dejavu("export", "picture0", "--format", "html", "--output", str(page))
    subprocess.run(
        [program, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
         f"--user-data-dir={home / 'profile'}", "--force-device-scale-factor=1",
         "--window-size=1100,1180", f"--screenshot={HERE / 'page.png'}", page.as_uri()],
        check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip


def main() -> None:
    """Make all of them."""
    with tempfile.TemporaryDirectory() as scratch:
        home = Path(scratch)
        for name in [name for name in os.environ if name.startswith(("DEJAVU_", "XDG_"))]:
            del os.environ[name]
        os.environ |= {
            "HOME": scratch,
            "TZ": "UTC",
            "COLORTERM": "truecolor",
            "DEJAVU_DATA_HOME": str(home / "data"),
        }
        (home / "data").mkdir(mode=0o700)
        with Archive.open(home / "data" / "archive") as archive:
            for conversation in conversations():
                archive.put(conversation)
            archive.update_index()
        _dejavu("replay", str(RECORDING), "--svg", str(HERE / "replay.svg"), "--idle", "1.5")
        film(home, HERE / "film.svg")
        (HERE / "film.svg").chmod(0o644)
        _page(home)
        browser = _FETCHED_FONT.sub("", asyncio.run(_browser(home)))
        (HERE / "browser.svg").write_text(browser, encoding="utf-8")


if __name__ == "__main__":
    main()
