"""`dejavu sync --watch`: what agents write is archived as they write it.

Takes homes; commits what changed, until it is told to stop. The operating system says which files
changed (watchfiles, debounced); a changed file that is a known source is followed alone, anything
else makes its provider look again. A full look is taken at the start, after an overflow, and now
and then, which also finds the folder of an agent that was installed meanwhile, a rotated or
renamed file, or a file system that was unmounted and came back. Looks are spaced so that they take
at most a twentieth of the time. O(changes) between looks, O(sources) stats a look.
"""

import threading
import time
from collections.abc import Callable, Iterable
from pathlib import Path

import watchfiles

from dejavu.archive import Archive
from dejavu.providers import PROVIDERS, Home, Provider, Source

from .sync import Report, sync_source

_LOOK = 10.0
"""Seconds between two full looks, at the least."""

_SIDE = ("-wal", "-shm", "-journal")
"""Files beside a database that change in its place."""


class Watcher:
    """Follows every trace below some homes."""

    def __init__(
        self,
        archive: Archive,
        homes: Iterable[Home],
        *,
        agent: str | None = None,
        told: Callable[[Report], None] = lambda _: None,
    ) -> None:
        self._archive, self._homes, self._told = archive, list(homes), told
        self._providers = [one for one in PROVIDERS.values() if agent in (None, one.agent)]
        self._known: dict[Path, tuple[Provider, Source]] = {}
        self._next_look = 0.0

    def run(self, stop: threading.Event) -> None:
        """Watch until `stop` is set."""
        while not stop.is_set():
            self.look()
            folders = self._folders()
            if not folders:
                stop.wait(_LOOK)
                continue
            self._watch(folders, stop)

    def _watch(self, folders: list[Path], stop: threading.Event) -> None:
        """Follow changes until a folder comes or goes, or until `stop`."""
        changes = watchfiles.watch(
            *folders, debounce=200, step=50, rust_timeout=1000, yield_on_timeout=True,
            stop_event=stop, ignore_permission_denied=True, raise_interrupt=False,
        )  # fmt: skip
        try:
            for batch in changes:
                self.changed(Path(path) for _, path in batch)
                if time.monotonic() >= self._next_look:
                    self.look()
                    if self._folders() != folders:
                        return
        except (RuntimeError, OSError):
            # A watched folder vanished, or the system's limit of watches was reached: looking
            # goes on, and the next round watches what is there then.
            stop.wait(1.0)

    def look(self) -> None:
        """Follow every source there is."""
        began = time.process_time()
        self._known = {
            source.path: (provider, source)
            for home in self._homes
            for provider in self._providers
            for source in provider.discover(home)
        }
        for provider, source in self._known.values():
            self._follow(provider, source)
        self._next_look = time.monotonic() + max(_LOOK, 20 * (time.process_time() - began))

    def changed(self, paths: Iterable[Path]) -> None:
        """Follow what these paths are, or have their sources looked for."""
        strangers = False
        for path in paths:
            known = self._known.get(path) or self._known.get(_beside(path))
            if known is not None:
                self._follow(*known)
            elif not path.name.startswith("."):
                strangers = True
        if strangers:
            fresh = [
                (provider, source)
                for home in self._homes
                for provider in self._providers
                for source in provider.discover(home)
                if source.path not in self._known
            ]
            for provider, source in fresh:
                self._known[source.path] = (provider, source)
                self._follow(provider, source)

    def _follow(self, provider: Provider, source: Source) -> None:
        report = sync_source(self._archive, provider, source)
        if report.read:
            self._told(report)

    def _folders(self) -> list[Path]:
        """The agents' folders that exist: of each source, the highest folder that is an agent's.

        That is `~/.claude` for what lies below it and `~/.local/share/amp` for what lies there.
        """
        found: set[Path] = set()
        for path in self._known:
            for home in self._homes:
                if path.is_relative_to(home.path):
                    parts = path.relative_to(home.path).parts
                    depth = 3 if parts[:2] == (".local", "share") else 1
                    found.add(home.path.joinpath(*parts[: min(depth, len(parts) - 1) or 1]))
                    break
            else:
                found.add(path.parent)
        return sorted(folder for folder in found if folder.is_dir())


def _beside(path: Path) -> Path:
    """The database that `path` is a side file of, or `path` itself."""
    for ending in _SIDE:
        if path.name.endswith(ending):
            return path.with_name(path.name.removesuffix(ending))
    return path
