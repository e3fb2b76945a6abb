"""A wrapped session whose observer dies, or never starts: the agent must not notice."""

import subprocess
import sys
import time
from pathlib import Path

import pytest

from dejavu.model import SpawnError
from dejavu.sessions import wrapped_session as module
from dejavu.sessions.session_store import SessionHeader

IDENTITY = SessionHeader(
    id="s", agent="sh", argv=["sh"], workspace="/w", instance="local", name="s",
    wrapper_pid=1, wrapper_started=0, started_at=1.0, screen=False,
)  # fmt: skip


def _wrap(*command: str) -> tuple[int, list[str]]:
    session = module.WrappedSession(
        list(command), IDENTITY, screen=None, headless=True, size=(40, 10), record=None
    )
    return session.run(), session.notes


@pytest.mark.parametrize(
    "error", [OSError(28, "No space left on device", "/state"), ValueError("odd")]
)
def test_without_a_folder_the_agent_runs_unobserved(
    home: Path, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    def fail(_: object) -> Path:
        raise error

    monkeypatch.setattr(module.session_store, "create", fail)
    code, notes = _wrap("sh", "-c", "exit 9")
    assert code == 9
    (note,) = notes
    assert note.startswith("nothing is captured: ")


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
    home: Path, observer: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "OBSERVER", observer)
    code, notes = _wrap("sh", "-c", "yes | head -100000; exit 6")
    assert code == 6
    assert notes


def test_the_observers_notes_reach_the_user(home: Path) -> None:
    code, notes = _wrap("sh", "-c", "exit 0")
    assert code == 0
    assert any("nothing was kept" in note for note in notes)


def test_modules_in_the_projects_folder_are_not_imported(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mark = tmp_path / "imported"
    for name in ("lmdb", "msgspec", "tantivy", "json", "dejavu"):
        (tmp_path / f"{name}.py").write_text(f"open({str(mark)!r}, 'w').close()")
    monkeypatch.chdir(tmp_path)
    code, notes = _wrap("sh", "-c", "exit 0")
    assert code == 0
    assert any("nothing was kept" in note for note in notes)
    assert not mark.exists()


def test_a_missing_agent_leaves_nothing_running(home: Path) -> None:
    with pytest.raises(SpawnError):
        _wrap("/nonexistent/agent")


_FLOOD = """
import os, sys, time
block = (b"x" * 79 + b"\\n") * 800
for _ in range(100_000_000 // len(block)):
    os.write(1, block)
with open(sys.argv[1], "w") as file:
    file.write(repr(time.monotonic()))
"""


def _late(folder: Path, *options: str) -> float:
    """Seconds between the end of an agent that wrote 100 MB and that of its wrapper."""
    ended = folder / "ended"
    command = [
        sys.executable, "-m", "dejavu.interfaces.run", *options, "--agent", "demo", "--",
        sys.executable, "-c", _FLOOD, str(ended),
    ]  # fmt: skip
    subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, check=True)
    return time.monotonic() - float(ended.read_text())


@pytest.mark.parametrize(
    "options",
    [
        pytest.param((), id="pipe"),
        pytest.param(("--headless",), id="terminal", marks=pytest.mark.soak),
        pytest.param(("--headless", "--screen"), id="screen", marks=pytest.mark.soak),
    ],
)
@pytest.mark.fault("1.19")
def test_the_wrapper_ends_with_its_agent_after_a_flood(
    home: Path, options: tuple[str, ...]
) -> None:
    # The clock is the agent's own. A busy machine may delay one run, but not each of five.
    assert any(_late(home, *options) < 0.5 for _ in range(5))
