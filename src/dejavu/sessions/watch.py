"""What changed since last time: the sessions' files looked at cheaply and often.

Watches the session folders it is given, or all there are. A poll costs four `stat` calls a live
session; a session's files are read only when one of them was written, and its process is looked for
every `LIVENESS` seconds. A watcher that polls every 20 ms so sees a change within 20 ms, and costs
about a hundredth of a core for a few live sessions.
"""

import os
import time
from collections.abc import Iterable
from pathlib import Path

from . import session_store as sessions
from .session_store import SessionView

POLL = 0.02
"""Seconds between two polls, for those who wait in a loop."""

LIVENESS = 0.25
"""Seconds between two looks for a session's process, and for keys typed in its terminal."""

_RACE = 100_000_000
"""Nanoseconds after a write in which another may get the same stamp: then a file is read again."""

_FILES = ("session.json", "status.json", "seen", "sent")


class Watch:
    """The sessions of `folders`, or all of them: those that end and those that come too."""

    def __init__(self, folders: Iterable[Path] | None = None) -> None:
        self._fixed = folders is not None
        # Each folder with its files' stamps when it was last read, and those files' paths.
        self._folders: dict[Path, tuple[int, ...]] = {}
        self._files: dict[Path, tuple[str, ...]] = {}
        self._read_at: dict[Path, int] = {}
        for folder in folders or ():
            self._add(folder)
        self._views: dict[Path, SessionView] = {}
        self._published: dict[Path, tuple[object, ...]] = {}
        self._root_stamp = -1
        self._looked = float("-inf")

    @property
    def sessions(self) -> list[SessionView]:
        """All sessions as of the last poll, the newest first."""
        return [self._views[folder] for folder in sorted(self._views, reverse=True)]

    def poll(self) -> list[SessionView]:
        """The sessions that are new or changed since the last poll; all of them the first time.

        A session whose folder went away is given once more, as exited.
        """
        now = time.monotonic()
        thorough = now - self._looked >= LIVENESS
        if thorough:
            self._looked = now
        if not self._fixed:
            self._list()
        return [view for folder in list(self._folders) if (view := self._look(folder, thorough))]

    def _list(self) -> None:
        """Take in folders that came; the parent's stamp tells whether any did."""
        root = sessions.sessions_folder()
        stamp = _modified_ns(root)
        if stamp != self._root_stamp:
            self._root_stamp = stamp
            for folder in root.iterdir() if stamp else ():
                self._add(folder)

    def _add(self, folder: Path) -> None:
        if folder not in self._folders:
            self._folders[folder] = ()
            self._files[folder] = tuple(f"{folder}/{name}" for name in _FILES)

    def _look(self, folder: Path, thorough: bool) -> SessionView | None:
        previous = self._views.get(folder)
        # A session that has said its last word is over for good.
        if previous is not None and not previous.live and previous.status.state == "exited":
            return None
        stamps = tuple(map(_modified_ns, self._files[folder]))
        unchanged = stamps == self._folders[folder]
        if unchanged and not thorough:
            return None
        self._folders[folder] = stamps
        view: SessionView | None
        if unchanged and previous is not None and self._read_at[folder] - max(stamps) > _RACE:
            view = sessions.with_liveness(previous)
        else:
            self._read_at[folder] = time.time_ns()
            view = sessions.load(folder)
        if view is None:
            if not any(stamps):  # tidied away
                del self._folders[folder], self._files[folder], self._read_at[folder]
                view = self._views.pop(folder, None)
                return view and view._replace(live=False)
            return None
        self._views[folder] = view
        shown = _published(view)
        if self._published.get(folder) == shown:
            return None
        self._published[folder] = shown
        return view


def _modified_ns(path: str | Path) -> int:
    try:
        return os.stat(path).st_mtime_ns  # noqa: PTH116 - many a second
    except OSError:
        return 0


def _published(view: SessionView) -> tuple[object, ...]:
    """What makes a session worth telling again."""
    status = view.status
    since = status.since if view.live else 0.0
    told = (status.pending, status.blocked, status.disagreement)
    situation = tuple(map(repr, told)) if view.live else ()
    facts = repr(status.facts)
    return view.state, since, status.exit_status, status.conversation, facts, *situation
