"""From a hook to the agent's own session log: the better vector, read as soon as a run has ended.

The log is the file that the payload names (`transcript_path`), looked for below the user's home
and, for agents with another home, below the file's own folders; without a name, the source that
carries the session's id. Logs are written a moment after the hook was called, so they are read
twice; then all sources of the session are merged. A log that had nothing new of a run, or cannot
be read, has fallen behind: `dejavu doctor` shows it. Finding the sources costs a stat a file of
that agent.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from dejavu.archive import Archive
from dejavu.ingest.importer import Importer
from dejavu.ingest.merge.arbitrate import merge_vectors
from dejavu.ingest.merge.channel_health import clear_failure, record_failure
from dejavu.ingest.source_failures import record_source_failure
from dejavu.ingest.sources.record import was_written
from dejavu.model import ArchiveError, Vector
from dejavu.providers import PROVIDERS, Home, Provider, Source
from dejavu.providers.follow.stamp import source_stamp

from .hook_ingest import IngestResult

_LAGS = (0.3, 3.0)
"""Seconds after a run's end at which its log is read."""
_ABOVE = 8  # folders above a transcript that are tried as a home
END_STATES = ("idle", "error")
"""States in which a run has ended."""


@dataclass(slots=True)
class _Session:
    """One session that hooks belong to."""

    result: IngestResult
    transcript: str | None = None
    home: Home | None = None
    """Where its log was found."""
    due: tuple[float, ...] = ()
    over: bool = False
    running: bool = False
    began: float | None = None
    """When a run began whose log has not been seen to grow yet."""


class SessionLogScheduler:
    """The logs of all sessions that hooks belong to. `clock` returns Unix seconds."""

    def __init__(self, *, clock: Callable[[], float] = time.time) -> None:
        self._clock = clock
        self._sessions: dict[str, _Session] = {}

    @property
    def due(self) -> float | None:
        """Unix seconds of the next reading."""
        return min((s.due[0] for s in self._sessions.values() if s.due), default=None)

    def on_hook(
        self,
        result: IngestResult,
        transcript: str | None,
        state: str | None,
        *,
        over: bool,
        at: float,
    ) -> None:
        """A hook was called at `at` and said `state`; `over`: the session has ended."""
        session = self._sessions.setdefault(result.conversation, _Session(result))
        session.result, session.transcript = result, transcript or session.transcript
        session.over = over
        if state == "working" and not session.running:
            session.running, session.began = True, at
        if over or state in END_STATES:
            session.running = False
            session.due = tuple(self._clock() + lag for lag in _LAGS)

    def tick(self, archive: Archive, now: float) -> None:
        """Read what is due. What a session's log raises is its failure, and recorded."""
        for session in list(self._sessions.values()):
            if not session.due or session.due[0] > now:
                continue
            session.due = session.due[1:]
            agent, conversation = session.result.agent, session.result.conversation
            try:
                self._read(archive, session)
                if not session.due:
                    merge_vectors(archive, conversation, clock=self._clock)
            except ArchiveError:
                raise
            except Exception as error:
                location = f"{agent} session {session.result.session}"
                record_source_failure(archive, agent, location, error, now)
            if not session.due and session.over:
                del self._sessions[conversation]

    def _read(self, archive: Archive, session: _Session) -> None:
        agent, conversation = session.result.agent, session.result.conversation
        provider = PROVIDERS.get(agent)
        if provider is None:
            return
        reason = "no session log of it was found"
        with Importer(archive, (), clock=self._clock) as importer:
            sources = _sources(importer, provider, session)
            failed = importer.report.unreadable
            reason = failed[0][1] if failed and not sources else reason
        for source in sources:
            with Importer(archive, [source.key], clock=self._clock) as importer:
                importer.read(provider, source)
            report = importer.report
            reason = report.unreadable[0][1] if report.unreadable else "it did not grow"
            if not report.unreadable and session.began is not None:
                written = was_written(source_stamp(source), session.began)
                session.began = None if report.bytes > 0 or written else session.began
        if session.began is None:
            clear_failure(archive, agent, Vector.NATIVE)
        elif not session.due:
            record_failure(archive, agent, Vector.NATIVE, reason, conversation, clock=self._clock)


def _sources(importer: Importer, provider: Provider, session: _Session) -> list[Source]:
    """The log of a session, and those of its sub-agents, where there are any."""
    result, named = session.result, session.transcript
    homes = [session.home] if session.home is not None else [Home.own(result.instance)]
    if named and session.home is None:
        homes += [Home(above, {}, result.instance) for above in [*Path(named).parents][:_ABOVE]]
    for home in homes:
        sources = [
            source
            for source in importer.discover(provider, home)
            if str(source.path) == named or result.session in _names(source)
        ]
        if sources:
            session.home = home
            return sources
    return []


def _names(source: Source) -> set[str]:
    """The ids that a source goes by: its own, its file's, and its folders'."""
    return {*(source.native_id or "").split("/"), source.path.stem, *source.path.parts[-4:-1]}
