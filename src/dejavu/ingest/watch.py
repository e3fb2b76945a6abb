"""`dejavu sync --watch`: what agents write is archived as they write it.

Commits what changed below some homes, until it is stopped. The system says which files
changed (watchfiles, debounced); a changed file that is a known source is followed alone, anything
else makes its provider look again. A full look is taken at the start, after an overflow, when the
folder of an agent appears, and now and then, which also finds a rotated or renamed file, or a file
system that was unmounted and came back; where it finds what the system did not tell of, the watch
is set up again. Looks are spaced so that they take at most a twentieth of the time. O(changes)
between looks, O(sources) stats a look.
"""

import threading
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator
from pathlib import Path

import watchfiles

from dejavu.archive import Archive
from dejavu.providers import PROVIDERS, Home, Provider, Source, search_roots
from dejavu.providers.follow.stamp import database_of

from .importer import Importer
from .report import Report
from .source_failures import record_scan

_LOOK = 10.0
"""Seconds between two full looks, at the least."""

_PAUSE = 0.5
"""Seconds between two tries to find a first folder."""

_DEAF = 2.0
"""Seconds in which a change that a look found must have been told of, too."""

_RENEW = 60.0
"""Seconds between two watches that were set up for that, at the least: some media tell nothing."""


class Watcher:
    """Follows every session log below some homes."""

    def __init__(
        self,
        archive: Archive,
        homes: Iterable[Home],
        *,
        agent: str | None = None,
        on_report: Callable[[Report], None] = lambda _: None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._archive, self._on_report, self._clock = archive, on_report, clock
        self._homes = [
            (provider, home, search_roots(provider, home))
            for home in homes
            for provider in PROVIDERS.values()
            if agent in (None, provider.agent)
        ]
        self._known: dict[str, tuple[Provider, Source]] = {}
        self._paths: dict[Path, set[str]] = {}
        self._again: set[str] = set()
        self._unsure: set[int] = set()
        self._news: set[str] = set()
        self._renewed = -_RENEW
        self._places: set[Path] = set()
        self._next_look = 0.0

    def run(self, stop: threading.Event) -> None:
        """Watch until `stop` is set."""
        while not stop.is_set():
            self.look()
            folders = self._folders()
            if not folders:
                while not self._appeared(folders) and not stop.wait(_PAUSE):
                    pass
                continue
            self._watch(folders, stop)

    def _watch(self, folders: list[Path], stop: threading.Event) -> None:
        """Follow changes until a folder comes or goes, the watch misses one, or until `stop`."""
        changes = watchfiles.watch(
            *folders, debounce=200, step=50, rust_timeout=500, yield_on_timeout=True,
            stop_event=stop, ignore_permission_denied=True,
        )  # fmt: skip
        self._next_look = 0.0  # what changed before the watch stood was not told
        unreported: dict[str, float] = {}
        is_watching = False
        try:
            for batch in changes:
                paths = [Path(path) for _, path in batch]
                for key in self._sources(paths) if unreported else ():
                    unreported.pop(key, None)
                self.changed(paths)
                now = time.monotonic()
                if now >= self._next_look or self._appeared(folders):
                    self.look()
                    if self._folders() != folders:
                        return
                    late = dict.fromkeys(self._news, now + _DEAF) if is_watching else {}
                    unreported, is_watching = late | unreported, True
                if unreported and now > max(min(unreported.values()), self._renewed + _RENEW):
                    self._renewed = now
                    return  # a folder was made too quickly for its inside to be watched
        except (RuntimeError, OSError):
            # A watched folder vanished, or the system's limit of watches was reached: looking
            # continues, and the next round watches what is there then.
            stop.wait(1.0)

    def _sources(self, paths: Iterable[Path]) -> Iterator[str]:
        """The known sources that these paths are, are next to, or are in."""
        for path in paths:
            for place in (path, _database(path), *path.parents):
                yield from self._paths.get(place, ())

    def look(self) -> None:
        """Follow every source there is."""
        began = time.process_time()
        self._known, self._paths = {}, {}
        self._discover([(provider, home) for provider, home, _ in self._homes])
        self._places = self._candidates()
        self._follow(self._known)
        counts = Counter(source.agent for _, source in self._known.values())
        record_scan(self._archive, counts, self._clock())
        self._next_look = time.monotonic() + max(_LOOK, 20 * (time.process_time() - began))

    def changed(self, paths: Iterable[Path]) -> None:
        """Follow what these paths are, or have their sources looked for.

        What had news or could not be read is followed once more the next time: agents write on,
        and a database may have changed under us. A place with something new is looked into once
        more, too: what is made in a new folder before it is watched is not told.
        """
        tried, strangers = self._again, list[Path]()
        due, self._again = set(tried), set()
        unsure, self._unsure = self._unsure, set()
        for path in paths:
            known = self._paths.get(path) or self._paths.get(_database(path))
            due.update(known or ())
            if known is None and not path.name.startswith("."):
                strangers.append(path)
        suspects: list[tuple[Provider, Home]] = []
        for place, (provider, home, roots) in enumerate(self._homes):
            if strangers and (not roots or any(_within(path, roots) for path in strangers)):
                self._unsure.add(place)
            if place in self._unsure or place in unsure:
                suspects.append((provider, home))
        before = set(self._known)
        self._discover(suspects)
        due |= self._known.keys() - before
        # Sources that are folders: all in them is theirs.
        due.update(*(self._paths.get(above, ()) for path in strangers for above in path.parents))
        if self._follow(due):
            self._again |= due - tried

    def _discover(self, places: Collection[tuple[Provider, Home]]) -> None:
        """Look for the sources of these providers. A source may have taken another form."""
        if not places:
            return
        with Importer(self._archive, (), clock=self._clock) as importer:
            for provider, home in places:
                for source in importer.discover(provider, home):
                    for path in (source.path, *source.extra_paths):
                        self._paths.setdefault(path, set()).add(source.key)
                    self._known[source.key] = (provider, source)

    def _follow(self, due: Collection[str]) -> bool:
        """Import what is new in these sources; whether some could not be read."""
        self._news = set()
        if not due:
            return False
        with Importer(self._archive, due, clock=self._clock) as importer:
            self._news = {key for key in due if importer.read(*self._known[key])}
        self._again |= self._news
        if importer.report.read:
            self._on_report(importer.report)
        return bool(importer.report.unreadable)

    def _appeared(self, folders: list[Path]) -> bool:
        """Whether an agent's folder is there that is not watched yet, or a watched one is gone."""
        return self._folders() != folders

    def _candidates(self) -> set[Path]:
        """What could be watched: what providers look into, and where sources lie besides."""
        asked = {path for _, _, roots in self._homes for path in roots}
        homes = {home.path for _, home, _ in self._homes}  # too much may lie below these
        asked |= {path.parent for path in self._paths if not _below(path, asked)} - homes
        return {path for path in asked if not _below(path, asked)}

    def _folders(self) -> list[Path]:
        """The folders to watch that exist."""
        return sorted(path for path in self._places if path.is_dir())


def _database(path: Path) -> Path:
    """The database that `path` is a side file of, or `path` itself."""
    return path.with_name(database_of(path.name)) if path.name else path


def _within(path: Path, folders: set[Path]) -> bool:
    """Whether `path` is one of `folders` or is below one."""
    return path in folders or _below(path, folders)


def _below(path: Path, folders: set[Path]) -> bool:
    """Whether `path` is below one of `folders`."""
    return any(parent in folders for parent in path.parents)
