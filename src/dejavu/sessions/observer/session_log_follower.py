"""Follows the agent's own trace while the session runs.

Takes the agent's name and the session's beginning; commits what the agent's provider finds new
to the archive, and knows afterwards which conversations belong to this session. Only sources
touched since the session began are read: importing the rest of somebody's history is `dejavu
sync`'s business. A look costs O(sources of this agent) stats; looks are spaced so that they take
at most a twentieth of the time, however large the home.
"""

import time
from pathlib import Path

from dejavu.archive import Archive
from dejavu.ingest.sync import Report, sync_source
from dejavu.model import Conversation
from dejavu.providers import PROVIDERS, Home, Source

_SLACK = 2.0
"""Seconds: file systems with coarse clocks."""

_EVERY = 1.0
"""Seconds between two looks, at the least."""


class NativeFollower:
    """One session's view of its agent's traces."""

    def __init__(self, agent: str, workspace: str, started_at: float, home: Home) -> None:
        self._provider = PROVIDERS.get(agent)
        self._workspace, self._since, self._home = workspace, started_at, home
        self._touched: dict[str, Source] = {}
        self._mtimes: dict[str, float] = {}
        self._pause = _EVERY
        self.report = Report()

    @property
    def known(self) -> bool:
        """Whether there is a provider for this agent at all."""
        return self._provider is not None

    @property
    def pause(self) -> float:
        """Seconds to wait before looking again."""
        return self._pause

    def look(self, archive: Archive) -> bool:
        """Read what is new; whether anything was."""
        if self._provider is None:
            return False
        began = time.process_time()
        fresh = False
        for source in self._provider.discover(self._home):
            changed = _changed(source.path)
            if changed < self._since - _SLACK or self._mtimes.get(source.key) == changed:
                continue
            report = sync_source(archive, self._provider, source)
            if not report.unreadable:
                self._mtimes[source.key] = changed
            self._touched[source.key] = source
            self.report.merge(report)
            fresh = fresh or report.read > 0
        self._pause = max(_EVERY, 20 * (time.process_time() - began))
        return fresh

    def conversations(self, archive: Archive) -> list[Conversation]:
        """Heads of the conversations this session wrote: its workspace's, with new turns."""
        heads = [archive.summary(identity) for identity in sorted(self.report.conversations)]
        return [
            head
            for head in heads
            if head.ended_at is None or head.ended_at >= self._since - _SLACK
            if not head.workspace or _same_folder(head.workspace, self._workspace)
        ]


def _changed(path: Path) -> float:
    """When `path`, or the log beside a database, was last written; 0 if it is gone."""
    moments = [0.0]
    for name in (path, path.with_name(path.name + "-wal")):
        try:
            moments.append(name.stat().st_mtime)
        except OSError:
            continue
    return max(moments)


def _same_folder(one: str, other: str) -> bool:
    return one == other or Path(one).resolve() == Path(other).resolve()
