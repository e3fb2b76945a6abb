"""No piece of a secret on the screen reaches the status file, with and without `--screen`."""

import json
import random
import time
from pathlib import Path

import pytest

from dejavu.capsule import Header, Output
from dejavu.sessions import session_store as sessions
from dejavu.sessions.observer.observer import SessionObserver

_DRAWN = random.Random(5)
SECRET = "sk-ant-api03-" + "".join(
    _DRAWN.choices("ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz23456789", k=86)
)
PIECE = 8


def wrapped(text: str, width: int, indent: str) -> list[str]:
    room = width - len(indent)
    return [indent + text[at : at + room] for at in range(0, len(text), room)]


def told(rows: list[str], width: int, *, screen: bool, agent: str = "claude") -> str:
    """The status file of a session whose screen shows some rows."""
    now = time.time()
    session = sessions.SessionHeader(
        id=sessions.new_session_id(now), agent=agent, argv=[agent], workspace="/w", instance="",
        name="n", wrapper_pid=1, wrapper_started=1, started_at=now - 1, screen=screen,
    )  # fmt: skip
    folder = sessions.create(session)
    header = {
        **session._asdict(), "folder": str(folder), "mode": "pty", "pid": 0, "columns": width,
        "lines": len(rows) + 2,
    }  # fmt: skip
    observer = SessionObserver()
    observer.event(Header(header))
    observer.event(Output(now, "\r\n".join(rows).encode()))
    for later in (0.5, 1.0, 3.0, 6.0):
        observer.tick(now + later)
    text = (folder / "status.json").read_text()
    observer.close()
    return text


def pieces(text: str) -> list[str]:
    secret = SECRET[13:]  # behind the vendor's own prefix
    return [
        secret[n : n + PIECE] for n in range(len(secret) - PIECE) if secret[n : n + PIECE] in text
    ]


@pytest.mark.fault("H1")
@pytest.mark.parametrize("screen", [False, True])
@pytest.mark.parametrize("width", [30, 44, 61, 80])
def test_a_dialog_that_is_wrapped_within_a_secret(home: Path, width: int, screen: bool) -> None:
    subject = wrapped(f"curl -H 'x-api-key: {SECRET}'", width, "   ")
    question = wrapped(f"Do you want to send {SECRET} ?", width, " ")
    choice = wrapped(f"2. Yes, and always for {SECRET}", width, "   ")
    rows = ["─" * width, " Bash command", "", *subject, "", *question, " ❯ 1. Yes", *choice,
            "   3. No", "", " Esc to cancel"]  # fmt: skip
    status = told(rows, width, screen=screen)
    assert json.loads(status)["state"] == "blocked"
    assert pieces(status) == []


@pytest.mark.fault("H1")
@pytest.mark.parametrize("screen", [False, True])
@pytest.mark.parametrize("width", [30, 44, 61, 80])
def test_the_row_that_decided_is_not_told(home: Path, width: int, screen: bool) -> None:
    rows = [*wrapped(f"● API Error: 401 {SECRET}", width, ""), "", "─" * width, "❯ ", "─" * width]
    for head in ("● ", "✻ Working… ", "❯ ", "  ⎿  API Error: "):
        rows[0:1] = wrapped(f"{head}{SECRET}", width, "")
        status = told(rows, width, screen=screen)
        assert pieces(status) == []
        assert json.loads(status)["rule"]


@pytest.mark.fault("H1")
def test_the_title_is_not_told(home: Path) -> None:
    spinner = [f"\x1b]0;{mark} {SECRET[:90]}\x07" for mark in "⠋⠙⠹"]
    status = told([*spinner, "nothing that a rule knows"], 80, screen=False, agent="unknown")
    assert pieces(status) == []
