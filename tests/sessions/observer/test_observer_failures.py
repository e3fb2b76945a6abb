"""What fails around a session does not end the observer, nor lose what it saw."""

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, ClassVar

import pytest
from tests.factories.session_files import claude_session
from tests.sessions.observer.wrapped import CLAUDE, IDLE, begin, draw

from dejavu.archive import Archive
from dejavu.capsule import Exit, Output
from dejavu.model import Conversation, RawDelta, Role, Text, Turn, Vector
from dejavu.providers import PROVIDERS, Home, Source
from dejavu.sessions import session_store as sessions
from dejavu.sessions.observer import session_log_follower
from dejavu.sessions.observer.session_log_follower import SessionLogFollower
from dejavu.sessions.observer.stream import StreamFollower


def test_a_killed_wrapper_leaves_what_was_seen(home: Path) -> None:
    observer, _ = begin(screen=True)
    draw(observer, IDLE)
    assert observer.finish()["kept"] == "screen"  # no Exit ever came


def test_broken_settings_do_not_stop_it(home: Path) -> None:
    folder = home / ".config/dejavu"
    folder.mkdir(parents=True)
    (folder / "config.toml").write_text("nonsense = 1\n")
    observer, _ = begin()
    draw(observer, IDLE)
    assert any("config.toml" in note for note in observer.finish()["notes"])


def test_a_reader_that_fails_is_put_away(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    observer, folder = begin(screen=True)

    def fail(*_: object) -> None:
        raise RuntimeError

    monkeypatch.setattr("dejavu.scrapers.SessionReader.output", fail)
    draw(observer, "x")
    assert sessions.read_json(folder / "status.json")["state"] == "unknown"
    assert observer.finish()["kept"] == "none"


def test_an_archive_that_fails_is_told_not_raised(home: Path) -> None:
    data = home / ".local/share/dejavu"
    data.mkdir(parents=True, mode=0o700)
    (data / "archive").write_text("a file where the folder should be")
    observer, _ = begin(screen=True)
    draw(observer, IDLE)
    report = observer.finish()
    assert any("capture" in note for note in report["notes"])


def test_where_the_trace_fails_what_hooks_told_is_the_session(home: Path) -> None:
    observer, folder = begin(screen=True)
    head = Conversation(id="h" * 16, agent="demo", native_id="h-1")
    asked = Turn(role=Role.USER, parts=(Text("why?"),), vector=Vector.HOOK)
    with Archive.open(home / ".local/share/dejavu/archive") as archive:
        archive.put(head.with_turns((asked,)))
    sessions.write_json(folder / "structured.json", {"conversation": head.id})
    draw(observer, IDLE)
    report = observer.finish()
    assert report["conversation"] == head.id
    assert report["kept"].startswith("hook")
    with Archive.open(home / ".local/share/dejavu/archive") as archive:
        (held,) = archive.scan()
        assert [turn.text for turn in archive.get(held.id).turns][:1] == ["why?"]


class _BrokenProvider:
    """Raises `error` where it is asked to: while it discovers, follows or parses."""

    agent: ClassVar[str] = "claude"

    def __init__(self, real: Any, where: str, error: Exception) -> None:
        self._real, self._where, self._error = real, where, error

    def discover(self, home: Home) -> Iterator[Source]:
        yield from self._real.discover(home)
        if self._where == "discover":
            raise self._error

    def follow(self, source: Source, cursor: bytes | None) -> Iterator[RawDelta]:
        if self._where == "follow":
            raise self._error
        return self._real.follow(source, cursor)

    def parser(self, *args: Any, **options: Any) -> Any:
        if self._where == "parser":
            raise self._error
        return self._real.parser(*args, **options)


@pytest.mark.parametrize("where", ["discover", "follow", "parser"])
@pytest.mark.parametrize("error", [ValueError("odd"), RecursionError("deep"), MemoryError()])
def test_nothing_that_a_provider_raises_ends_the_observer(
    home: Path, monkeypatch: pytest.MonkeyPatch, where: str, error: Exception
) -> None:
    broken = _BrokenProvider(PROVIDERS["claude"], where, error)
    monkeypatch.setattr(session_log_follower, "PROVIDERS", {"claude": broken})
    observer, folder = begin(agent="claude", screen=True)
    claude_session(home, "why?")
    draw(observer, CLAUDE)
    for _ in range(2):
        observer.event(Output(time.time(), b"\x07"))
        observer.tick(time.time() + 60)
    kind = type(error).__name__
    counted = {name: count for name, count in observer.faults.counts.items() if kind in name}
    assert list(counted.values()) == [observer.faults.counts.total()]
    assert observer.faults.counts.total() >= 2
    assert sessions.read_json(folder / "status.json")["state"] == "idle"
    observer.event(Exit(time.time(), 0))
    report = observer.finish()
    assert report["kept"] != "none"
    assert sum(kind in note for note in report["notes"]) == 1


def test_a_parser_that_fails_on_a_stream_does_not_end_the_observer(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise RecursionError

    observer, folder = begin(agent="claude", mode="direct")
    monkeypatch.setattr(StreamFollower, "feed", fail)
    for _ in range(3):
        observer.event(Output(time.time(), b"{}\n"))
    assert observer.faults.counts.total() == 3
    observer.event(Exit(time.time(), 4))
    assert sum("RecursionError" in note for note in observer.finish()["notes"]) == 1
    assert sessions.read_json(folder / "status.json")["exit_status"] == 4


def test_a_duty_that_fails_unexpectedly_is_tried_again(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> bool:
        raise ValueError("odd")

    observer, _ = begin(agent="claude")
    with monkeypatch.context() as patch:
        patch.setattr(SessionLogFollower, "changed", fail)
        observer.event(Output(time.time(), b"x"))
        observer.tick(time.time() + 60)
        assert observer.faults.counts == {"capture failed: ValueError": 1}
        assert observer.due is not None
    claude_session(home, "why?")
    observer.tick(time.time() + 120)
    with Archive.open(home / ".local/share/dejavu/archive") as archive:
        assert len(list(archive.scan())) == 1


def test_a_status_file_that_nests_too_deep_does_not_end_the_observer(home: Path) -> None:
    observer, folder = begin(agent="claude")
    (folder / "structured.json").write_text("[" * 200_000)
    observer.tick(time.time())
    observer.tick(time.time() + 1)
    assert observer.faults.counts == {"the status of hooks failed: RecursionError": 1}
