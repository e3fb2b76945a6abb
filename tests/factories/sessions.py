"""Sessions made by hand, for tests that need no agent."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from dejavu.sessions import session_store as sessions


def start(
    identity: str, state: str, *, live: bool = True, name: str = "", **status: object
) -> Path:
    """A session's folder, whose wrapper is this very process (or nobody)."""
    folder = sessions.create(
        sessions.SessionHeader(
            id=identity,
            agent="amp",
            argv=["amp"],
            workspace="/w",
            instance="local",
            name=name or identity,
            wrapper_pid=os.getpid(),
            wrapper_started=(sessions.process_started(os.getpid()) or 0) if live else 1,
            started_at=1.0,
            screen=False,
        )
    )
    sessions.set_status(folder, sessions.Status(state=state, since=2.0, **status))  # type: ignore[arg-type]
    return folder


def header(agent: str = "amp", *argv: str, **fields: Any) -> sessions.SessionHeader:
    """Who runs: a session of `agent` in /w that began at 5.0."""
    given = sessions.SessionHeader(
        id="20261121-1", agent=agent, argv=[*(argv or (agent,))], workspace="/w", instance="local",
        name="n", wrapper_pid=1, wrapper_started=1, started_at=5.0, screen=False,
    )  # fmt: skip
    return given._replace(**fields)


@pytest.fixture
def session(home: Path) -> Callable[..., Path]:
    """`session("20260101-000000-aaaa", "idle")` makes a live session; gives its folder."""
    return start
