"""A wrapped session whose observer dies, or never starts: the agent must not notice."""

import sys
from pathlib import Path
from typing import Any

import pytest

from dejavu.model import SpawnError
from dejavu.sessions import wrapped_session as module


def _header(folder: Path) -> dict[str, Any]:
    return {
        "id": "s", "agent": "sh", "argv": ["sh"], "workspace": "/w", "instance": "local",
        "started_at": 1.0, "screen": False, "folder": str(folder),
    }  # fmt: skip


def _wrap(folder: Path | None, *command: str) -> tuple[int, list[str]]:
    return module.wrap(
        list(command), header=_header(folder or Path("/nowhere")), folder=folder,
        headless=True, size=(40, 10), record=None,
    )  # fmt: skip


@pytest.fixture
def folder(home: Path) -> Path:
    made = home / "session"
    made.mkdir(mode=0o700)
    return made


def test_without_a_folder_the_agent_runs_unobserved(home: Path) -> None:
    assert _wrap(None, "sh", "-c", "exit 9") == (9, [])


@pytest.mark.parametrize(
    "observer",
    [
        ("/nonexistent/python",),
        (sys.executable, "-c", "import sys; sys.exit(1)"),
        (sys.executable, "-c", "import os; os.kill(os.getpid(), 9)"),
        (sys.executable, "-c", "import sys, os; sys.stdin.read(); os.write(3, b'{not json')"),
    ],
)
def test_an_observer_that_dies_is_noted_and_nothing_more(
    folder: Path, observer: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "OBSERVER", observer)
    code, notes = _wrap(folder, "sh", "-c", "yes | head -100000; exit 6")
    assert code == 6
    assert notes


def test_the_observers_notes_reach_the_user(folder: Path) -> None:
    code, notes = _wrap(folder, "sh", "-c", "exit 0")
    assert code == 0
    assert any("nothing was kept" in note for note in notes)


def test_a_missing_agent_leaves_nothing_running(folder: Path) -> None:
    with pytest.raises(SpawnError):
        _wrap(folder, "/nonexistent/agent")
