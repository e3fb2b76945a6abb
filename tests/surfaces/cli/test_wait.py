import threading
import time
from collections.abc import Callable
from pathlib import Path

from tests.surfaces.cli.test_status import start
from tests.surfaces.conftest import Result

from dejavu.surfaces import sessions


def test_reached_at_once(dejavu: Callable[..., Result], home: Path) -> None:
    start("20260101-000000-aaaa", "blocked")
    result = dejavu("wait", "2026", "--for", "idle,blocked", "--json")
    assert (result.code, result.json["state"]) == (0, "blocked")


def test_waits_for_a_change(dejavu: Callable[..., Result], home: Path) -> None:
    folder = start("20260101-000000-aaaa", "working")

    def change() -> None:
        time.sleep(0.3)
        sessions.set_status(folder, sessions.Status(state="idle", since=3.0))

    worker = threading.Thread(target=change)
    worker.start()
    assert dejavu("wait", "2026", "--timeout", "30").code == 0
    worker.join()


def test_times_out_like_timeout(dejavu: Callable[..., Result], home: Path) -> None:
    start("20260101-000000-aaaa", "working")
    result = dejavu("wait", "2026", "--timeout", "0")
    assert result.code == 124
    assert "still working" in result.err


def test_an_ended_session_will_never_be_idle(dejavu: Callable[..., Result], home: Path) -> None:
    start("20260101-000000-aaaa", "working", live=False)
    assert dejavu("wait", "2026").code == 1
    assert dejavu("wait", "2026", "--for", "exited").code == 0


def test_unknown_states_and_sessions(dejavu: Callable[..., Result], home: Path) -> None:
    start("20260101-000000-aaaa", "working")
    assert dejavu("wait", "2026", "--for", "sleepy").code == 2
    assert dejavu("wait", "1999").code == 3
