"""The watcher on real files: what an agent writes is archived while it writes."""

import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.factories.session_files import claude_session
from tests.factories.waiting import until

from dejavu.archive import Archive
from dejavu.ingest import watch as module
from dejavu.ingest.watch import Watcher
from dejavu.providers import Home

BOUND = 30.0


@pytest.fixture
def archive(tmp_path: Path) -> Iterator[Archive]:
    with Archive.open(tmp_path / "archive") as opened:
        yield opened


@pytest.fixture
def watching(archive: Archive, home: Path) -> Iterator[Callable[[], None]]:
    """Call it to begin watching this home; it is stopped at the end."""
    stop = threading.Event()
    workers: list[threading.Thread] = []

    def begin() -> None:
        watcher = Watcher(archive, [Home(home, {})])
        worker = threading.Thread(target=watcher.run, args=(stop,))
        worker.start()
        workers.append(worker)

    yield begin
    stop.set()
    for worker in workers:
        worker.join(BOUND)
        assert not worker.is_alive()


def turns(archive: Archive) -> dict[str, int]:
    return {head.native_id: head.turn_count for head in archive.scan()}


def test_growth_rotation_and_renaming(
    archive: Archive, home: Path, watching: Callable[[], None]
) -> None:
    claude_session(home, "one")
    watching()
    until(lambda: turns(archive) == {"s1": 2})
    path = claude_session(home, "one", "two")
    until(lambda: turns(archive) == {"s1": 4})
    path.rename(path.with_suffix(".old"))
    claude_session(home, "one", "two", "three")
    until(lambda: turns(archive) == {"s1": 6})
    claude_session(home, "else", name="s2")
    until(lambda: turns(archive) == {"s1": 6, "s2": 2})


def test_an_agent_that_is_installed_meanwhile(
    archive: Archive, home: Path, watching: Callable[[], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_LOOK", 0.2)
    watching()
    time.sleep(0.3)
    claude_session(home, "one")
    until(lambda: turns(archive) == {"s1": 2})


def test_a_folder_that_goes_away_and_comes_back(
    archive: Archive, home: Path, watching: Callable[[], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_LOOK", 0.2)
    claude_session(home, "one")
    watching()
    until(lambda: turns(archive) == {"s1": 2})
    (home / ".claude").rename(home / "unmounted")
    time.sleep(0.5)
    assert turns(archive) == {"s1": 2}
    (home / "unmounted").rename(home / ".claude")
    claude_session(home, "one", "two")
    until(lambda: turns(archive) == {"s1": 4})


def test_what_changed_before_the_watch_stood_is_seen_all_the_same(
    archive: Archive, home: Path, watching: Callable[[], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    claude_session(home, "one")

    def deaf(*_: Path, stop_event: threading.Event, **__: object) -> Iterator[set[object]]:
        claude_session(home, "one", "two")  # after the look, before the first event
        while not stop_event.wait(0.05):
            yield set()

    monkeypatch.setattr(module.watchfiles, "watch", deaf)
    monkeypatch.setattr(module, "_LOOK", 3600.0)
    watching()
    until(lambda: turns(archive) == {"s1": 4})


def test_a_place_with_something_new_is_looked_into_once_more(archive: Archive, home: Path) -> None:
    watcher = Watcher(archive, [Home(home, {})], agent="claude")
    watcher.look()
    folder = home / ".claude" / "projects" / "-work-x"
    folder.mkdir(parents=True)
    watcher.changed([folder])  # told of the folder; of the file in it nobody tells
    claude_session(home, "one")
    watcher.changed([])
    assert turns(archive) == {"s1": 2}


def test_a_watch_that_misses_changes_is_set_up_anew(
    archive: Archive, home: Path, watching: Callable[[], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    claude_session(home, "one")
    honest, watches = module.watchfiles.watch, list[int]()

    def once_deaf(*folders: Path, **options: Any) -> Iterator[Any]:
        watches.append(1)
        if len(watches) > 1:
            yield from honest(*folders, **options)
        while not options["stop_event"].wait(0.05):
            yield set()

    monkeypatch.setattr(module.watchfiles, "watch", once_deaf)
    monkeypatch.setattr(module, "_LOOK", 0.2)
    monkeypatch.setattr(module, "_DEAF", 0.1)
    watching()
    until(lambda: len(watches) == 1 and turns(archive) == {"s1": 2})
    time.sleep(0.3)  # the look after the watch stood is over
    claude_session(home, "one", "two")
    until(lambda: turns(archive) == {"s1": 4} and len(watches) == 2)
