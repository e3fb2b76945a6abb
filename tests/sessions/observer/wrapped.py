"""A session as the observer gets it, and screens drawn into it."""

import time
from pathlib import Path
from typing import Any

from dejavu.capsule import Header, Output
from dejavu.sessions import session_store as sessions
from dejavu.sessions.observer.observer import SessionObserver

IDLE = (
    "\x1b[2J\x1b[H❯ why?\r\n\r\n● Because.\r\n\r\n"
    + "─" * 60
    + "\r\n❯ \r\n"
    + "─" * 60
    + "\r\n  ? for shortcuts"
)


KEY = "sk-ant-api03-" + "A1b2C3d4E5f6G7h8" * 5 + "-abcdefAA"


CLAUDE = IDLE  # Claude Code draws the same prompt, answer and box


def begin(agent: str = "demo", **changes: Any) -> tuple[SessionObserver, Path]:
    session = sessions.SessionHeader(
        id=sessions.new_session_id(time.time()),
        agent=agent, argv=[agent], workspace="/work/x", instance="", name="n",
        wrapper_pid=1, wrapper_started=1, started_at=time.time() - 1, screen=False,
    )  # fmt: skip
    if "argv" in changes:
        session = session._replace(argv=changes["argv"])
    folder = sessions.create(session)
    header = {
        **session._asdict(),
        "folder": str(folder),
        "screen": None,
        "mode": "headless",
        "pid": 7,
        "columns": 60,
        "lines": 12,
        **changes,
    }
    observer = SessionObserver()
    observer.event(Header(header))
    return observer, folder


def draw(observer: SessionObserver, text: str) -> None:
    at = time.time()
    observer.event(Output(at, text.encode()))
    for _ in range(50):
        if observer.due is None:
            break
        at = max(at, observer.due)
        observer.tick(at)
        if at > time.time() + 5:
            break


def state(folder: Path) -> str:
    return sessions.find(folder.name)._replace(live=True).state
