"""Whoever asks whether a session changed gets one answer: cursors, record, observer and watcher."""

import os
import shutil
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.factories.session_files import claude_session

from dejavu.archive import Archive
from dejavu.ingest.sources.read import known_source
from dejavu.ingest.sources.record import KnownAgent, SeenSources, Snapshot
from dejavu.ingest.watch import Watcher
from dejavu.model import UnreadableSessionError
from dejavu.providers import PROVIDERS, Cursor, Home, Provider, Source
from dejavu.providers.follow.stamp import source_stamp
from dejavu.sessions.observer.session_log_follower import SessionLogFollower

HOMES = Path(__file__).parents[2] / "factories" / "data" / "homes"
TICK = 0.011  # seconds; a kernel's clock may show one time for so long
EDITED_IN_PLACE = {"opencode": ("message", "part")}
"""Folders whose files are too many to be asked of: the session's own file tells of an edit."""


def _cursor(provider: Provider, source: Source, since: Cursor | None) -> tuple[Cursor | None, bool]:
    """The cursor at the end of a source, and whether it differs from `since`."""
    cursor, news = since, False
    try:
        for delta in provider.follow(source, since):
            cursor, news = delta.cursor, True
    except (OSError, UnreadableSessionError):
        return cursor, True
    return cursor, news


@pytest.mark.parametrize("agent", sorted(PROVIDERS))
def test_no_change_that_a_cursor_sees_is_missed(agent: str, tmp_path: Path) -> None:
    shutil.copytree(HOMES / agent, tmp_path / "home")
    home, provider = Home(tmp_path / "home", {}), PROVIDERS[agent]
    skipped = set(EDITED_IN_PLACE.get(agent, ()))
    files = [path for path in home.path.rglob("*") if path.is_file()]
    files = [path for path in files if not skipped & set(path.relative_to(home.path).parts)]
    for path in files:
        sources = list(provider.discover(home))
        before = {one.key: (source_stamp(one), _cursor(provider, one, None)[0]) for one in sources}
        time.sleep(TICK)
        path.write_bytes(path.read_bytes() + b"\n")
        for source in provider.discover(home):
            if source.key in before:
                stamp, cursor = before[source.key]
                if _cursor(provider, source, cursor)[1]:
                    assert source_stamp(source) != stamp, path


def _append(path: Path) -> None:
    line = path.read_bytes().splitlines(keepends=True)[0]
    with path.open("ab") as file:
        file.write(line.replace(b'"u0"', f'"u{time.time_ns()}"'.encode()))


def _append_half(path: Path) -> None:
    with path.open("ab") as file:
        file.write(b'{"type":')


def _set_back(path: Path) -> None:
    """Other words of the same length, under the old modification time."""
    status = path.stat()
    path.write_bytes(path.read_bytes().swapcase())
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))


def _replace(path: Path) -> None:
    """Another file of the same size and modification time takes its place."""
    status, other = path.stat(), path.with_name("new")
    other.write_bytes(path.read_bytes().swapcase())
    os.utime(other, ns=(status.st_atime_ns, status.st_mtime_ns))
    other.replace(path)


def _touch(path: Path) -> None:
    os.utime(path, (1e9, 1e9))


def _cut(path: Path) -> None:
    os.truncate(path, path.stat().st_size // 2)


def _look(path: Path) -> None:
    path.read_bytes()


EVENTS = (_append, _append_half, _set_back, _replace, _touch, _cut, _look)


@dataclass
class _Asked:
    """Everyone who asks, each with what it last saw."""

    home: Home
    archive: Archive
    watched: Archive
    cursor: Cursor | None = None
    reports: list[int] = field(default_factory=list[int])

    def __post_init__(self) -> None:
        self.provider = PROVIDERS["claude"]
        (self.source,) = self.provider.discover(self.home)
        self.cursor, _ = _cursor(self.provider, self.source, None)
        self.seen = SeenSources()
        self.seen.add(self.source, source_stamp(self.source))
        self.record()
        self.observer = SessionLogFollower("claude", "/work/x", 0.0, self.home)
        self.observer.look(self.archive)
        self.watcher = Watcher(
            self.watched,
            [self.home],
            agent="claude",
            on_report=lambda r: self.reports.append(r.read),
        )
        self.watcher.look()
        self.reports.clear()

    def record(self) -> None:
        known = known_source(self.source)
        known.stamp = source_stamp(self.source)
        agents = {"claude": KnownAgent([known])}
        self.snapshot = Snapshot(0, time.time(), "", {}, (0, 0.0), agents)

    def answers(self) -> dict[str, bool]:
        """Who says that it changed. Each then takes note of it."""
        said: dict[str, bool] = {"record": bool(self.snapshot.changes(time.time()))}
        self.record()
        said["process"] = bool(self.seen.changed([self.source], 0.0))
        self.seen.add(self.source, source_stamp(self.source))
        said["observer"] = bool(self.observer.changed())
        self.observer.look(self.archive)
        self.watcher.changed([self.source.path])
        said["watcher"] = bool(self.reports)
        self.reports.clear()
        self.cursor, said["cursor"] = _cursor(self.provider, self.source, self.cursor)
        return said


@settings(max_examples=15)
@given(st.lists(st.sampled_from(EVENTS), min_size=1, max_size=8))
def test_all_who_ask_of_a_log_agree(events: list[Callable[[Path], None]]) -> None:
    with TemporaryDirectory() as scratch:
        root = Path(scratch)
        path = claude_session(root / "home", "a prompt", "another")
        with Archive.open(root / "a") as archive, Archive.open(root / "b") as watched:
            asked = _Asked(Home(root / "home", {}), archive, watched)
            for event in events:
                time.sleep(TICK)
                before = source_stamp(asked.source)
                event(path)
                changed = event is not _look and source_stamp(asked.source) != before
                answers = asked.answers()
                assert set(answers.values()) == {changed}, (event.__name__, answers)
