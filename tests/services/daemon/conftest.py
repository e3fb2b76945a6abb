"""Letters of a small session, and an archive to take them into."""

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from dejavu.archive import Archive
from dejavu.archive.access import open_archive
from dejavu.services.daemon.spool import SpoolEntry

START = 1_795_000_000.0
SESSION = "0d1c6f6e-0000-4000-8000-000000000001"


def payload(event: str, **more: Any) -> dict[str, Any]:
    return {"session_id": SESSION, "cwd": "/work/x", "hook_event_name": event, **more}


def entry(value: Any, at: float = START, **more: Any) -> SpoolEntry:
    given = {"agent": "claude", "session": None, "instance": None, **more}
    return SpoolEntry(at=at, payload=json.dumps(value).encode(), **given)


def session(prompts: int = 2) -> list[SpoolEntry]:
    """So many prompts, each with its answer."""
    told: list[SpoolEntry] = []
    for number in range(prompts):
        at = START + 10 * number
        told.append(entry(payload("UserPromptSubmit", prompt=f"Question {number}?"), at))
        answer = f"Answer {number}."
        told.append(entry(payload("Stop", last_assistant_message=answer), at + 5))
    return told


@pytest.fixture(autouse=True)
def own_umask() -> Iterator[None]:
    """A daemon that runs within the test makes its files private; the tests after it are not its own."""
    before = os.umask(0o022)
    os.umask(before)
    yield
    os.umask(before)


@pytest.fixture
def archive(home: Path) -> Iterator[Archive]:
    with open_archive(write=True) as it:
        yield it
