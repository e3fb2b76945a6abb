"""From a hook to the agent's own trace: the better vector, read as soon as a run has ended.

Takes a session that hooks spoke of; reads its trace into the archive, which replaces what the
hooks told. The trace is the file that the payload names (`transcript_path`), looked for below the
user's home and, for agents with another home, below the file's own folders; without a name, the
source that carries the session's id. Traces are written a moment after the hook was called, so
they are read twice; then all that tell the session are heard together. A trace that had nothing
new of a run, or cannot be read, has fallen behind: the doctor is told. Finding the sources costs
a stat a file of that agent.
"""

import traceback
from dataclasses import dataclass
from pathlib import Path

from dejavu.archive import Archive
from dejavu.config.clock import now as clock
from dejavu.ingest.merge.arbitrate import arbitrate
from dejavu.ingest.merge.channel_health import failed, well
from dejavu.ingest.sync import sync_source
from dejavu.model import ArchiveError, Vector
from dejavu.providers import PROVIDERS, Home, Provider, Source

from .hook_ingest import Taken

_LAGS = (0.3, 3.0)
"""Seconds after a run's end at which its trace is read."""
_SLACK = 2.0  # seconds: file systems with coarse clocks
_ABOVE = 8  # folders above a transcript that are tried as a home
ENDS = ("idle", "error")
"""States in which a run has ended."""


@dataclass(slots=True)
class _Session:
    """One session that hooks spoke of."""

    taken: Taken
    transcript: str | None = None
    home: Home | None = None
    """Where its trace was found."""
    due: tuple[float, ...] = ()
    over: bool = False
    running: bool = False
    began: float | None = None
    """When a run began whose trace has not been seen to grow yet."""


class Pivot:
    """The traces of all sessions that hooks speak of."""

    def __init__(self) -> None:
        self._sessions: dict[str, _Session] = {}

    @property
    def due(self) -> float | None:
        """Unix seconds of the next reading."""
        return min((s.due[0] for s in self._sessions.values() if s.due), default=None)

    def heard(
        self, taken: Taken, transcript: str | None, state: str | None, *, over: bool, at: float
    ) -> None:
        """A hook was called at `at`, and said `state`; `over`: the session has ended."""
        known = self._sessions.setdefault(taken.conversation, _Session(taken))
        known.taken, known.transcript = taken, transcript or known.transcript
        known.over = over
        if state == "working" and not known.running:
            known.running, known.began = True, at
        if over or state in ENDS:
            known.running = False
            known.due = tuple(clock() + lag for lag in _LAGS)

    def tick(self, archive: Archive, now: float) -> None:
        """Read what is due."""
        for known in list(self._sessions.values()):
            if known.due and known.due[0] <= now:
                known.due = known.due[1:]
                try:
                    self._read(archive, known)
                    if not known.due:
                        arbitrate(archive, known.taken.conversation)
                except ArchiveError:
                    raise
                except Exception:  # a trace that a reader of ours stumbles over is no other's fault
                    traceback.print_exc()
                if not known.due and known.over:
                    del self._sessions[known.taken.conversation]

    def _read(self, archive: Archive, known: _Session) -> None:
        provider = PROVIDERS.get(known.taken.agent)
        if provider is None:
            return
        trouble = "no trace of it was found"
        for source in _sources(provider, known):
            report = sync_source(archive, provider, source)
            trouble = report.unreadable[0][1] if report.unreadable else "it did not grow"
            if not report.unreadable and known.began is not None:
                grown = report.bytes > 0 or _changed(source.path) >= known.began - _SLACK
                known.began = None if grown else known.began
        if known.began is None:
            well(archive, known.taken.agent, Vector.NATIVE)
        elif not known.due:
            failed(archive, known.taken.agent, Vector.NATIVE, trouble, known.taken.conversation)


def _sources(provider: Provider, known: _Session) -> list[Source]:
    """The trace of a session, and those of its sub-agents, where there are any."""
    taken, named = known.taken, known.transcript
    homes = [known.home] if known.home is not None else [Home.own(taken.instance)]
    if named and known.home is None:
        homes += [Home(above, {}, taken.instance) for above in [*Path(named).parents][:_ABOVE]]
    for home in homes:
        found = [
            source
            for source in provider.discover(home)
            if str(source.path) == named or taken.session in _names(source)
        ]
        if found:
            known.home = home
            return found
    return []


def _names(source: Source) -> set[str]:
    """The ids that a source goes by: its own, its file's, and its folders'."""
    return {*(source.native_id or "").split("/"), source.path.stem, *source.path.parts[-4:-1]}


def _changed(path: Path) -> float:
    """When a trace, or the log beside a database, was last written; others may have read it."""
    both = (path, path.with_name(path.name + "-wal"))
    return max((one.stat().st_mtime for one in both if one.exists()), default=0.0)
