"""The agent's own session logs, followed while the session runs, and the server it may open.

Commits what the agent's provider finds new, and knows afterwards which conversations belong to this
session. Only sources touched since the session began are read: importing the rest of a user's
history is `dejavu sync`'s business. Whatever a provider raises is a recorded failure of that source
(see `ingest.importer`); only an archive that cannot be written is an error here. A look costs
O(sources of this agent) stats; looks are spaced so that they take at most a twentieth of the time,
however large the home.

Where a session's command line names the port of a server that can be followed, `ServerFollower`
starts `dejavu import - --from` for it, a separate process, and ends it with the session. What that one
receives goes into the archive, and to `StatusReader`.
"""

import contextlib
import signal
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path

from dejavu.archive import Archive
from dejavu.config.own_program import own_program
from dejavu.ingest.importer import Importer
from dejavu.ingest.report import Report
from dejavu.ingest.sources.record import SLACK, SeenSources
from dejavu.model import Conversation
from dejavu.providers import PROVIDERS, Home, Provider, Source
from dejavu.providers.follow.stamp import Stamp
from dejavu.providers.registry import event_servers

from ..observer_address import SERVES
from ..session_store import SessionHeader

_EVERY = 1.0
"""Seconds between two looks, at the least."""

_LOOKS = 4
"""Looks in `_EVERY` seconds at the most, of all followers in one process."""

Changed = tuple[Source, Stamp]
"""A source, and how it looks."""


class SessionLogFollower:
    """One session's view of its agent's session logs."""

    def __init__(self, agent: str, workspace: str, started_at: float, home: Home) -> None:
        self._provider = PROVIDERS.get(agent)
        self._workspace, self._since, self._home = workspace, started_at, home
        self._seen = SeenSources()
        self._pause = _EVERY
        self.share = 1
        """Followers in this process, which share the time that looking may take."""
        self.report = Report()
        self._spent = 0.0  # CPU seconds that `changed` took
        self._failed = False  # the sources could not all be looked for, which the archive knows
        self.unreadable: list[tuple[str, str]] = []
        """What the last look could not read: path (or home) and reason."""

    @property
    def has_provider(self) -> bool:
        """Whether there is a provider for this agent at all."""
        return self._provider is not None

    @property
    def pause(self) -> float:
        """Seconds to wait before looking again."""
        return self._pause

    def changed(self) -> list[Changed] | None:
        """Find what a `look` would read; None where that must see for itself.

        Mostly there is nothing, and the archive need not be opened.
        """
        if self._provider is None or self._failed:
            return None
        began = time.process_time()
        try:
            changed = self._seen.changed(self._provider.discover(self._home), self._since)
        except Exception:  # `look` meets it again, and records it
            return None
        self._spent = time.process_time() - began
        self._set_pause(self._spent)
        return changed

    def look(self, archive: Archive, changed: list[Changed] | None = None) -> bool:
        """Read what is new, which `changed` has just found or is looked for; whether anything was.

        Raises:
            ArchiveError: it could not be stored (locked, full, damaged).
        """
        if self._provider is None:
            return False
        began = time.process_time()
        self.unreadable = []
        if changed is None:
            self._spent = 0.0
            changed = self._discover(archive, self._provider)
        read = 0
        for source, stamp in changed:
            with Importer(archive, [source.key]) as importer:
                importer.read(self._provider, source)
            if not importer.report.unreadable:
                self._seen.add(source, stamp)
            self._add(importer.report)
            read += importer.report.read
        self._set_pause(self._spent + time.process_time() - began)
        return read > 0

    def _set_pause(self, cost: float) -> None:
        """Space looks by what this one has cost, in CPU seconds."""
        self._pause = max(_EVERY, _EVERY * self.share / _LOOKS, 20 * self.share * cost)

    def _discover(self, archive: Archive, provider: Provider) -> list[Changed]:
        """The sources that have changed; a provider that fails to look for them is noted."""
        with Importer(archive, ()) as importer:
            changed = self._seen.changed(importer.discover(provider, self._home), self._since)
        self._failed = bool(importer.report.unreadable)
        self._add(importer.report)
        return changed

    def _add(self, report: Report) -> None:
        self.unreadable += report.unreadable
        report.unreadable = []  # a source that fails at every look must not fill the memory
        self.report.merge(report)

    def conversations(self, archive: Archive) -> list[Conversation]:
        """Summaries of the conversations this session wrote: its workspace's, with new turns."""
        summaries = [archive.summary(identity) for identity in sorted(self.report.conversations)]
        return [
            summary
            for summary in summaries
            if summary.ended_at is None or summary.ended_at >= self._since - SLACK
            if not summary.workspace or _same_folder(summary.workspace, self._workspace)
        ]


def main_of(conversations: Sequence[Conversation]) -> Conversation:
    """The one of a session's conversations that it is about: no sub-agent's, the longest."""
    return max(conversations, key=lambda summary: (summary.parent is None, summary.turn_count))


def _same_folder(path: str, other: str) -> bool:
    return path == other or Path(path).resolve() == Path(other).resolve()


_LAST_WORD = 10.0  # seconds that it may take to write what it holds


def port_of(argv: list[str]) -> int:
    """The port that a command line asks for; 0 where it names none."""
    values = [
        word.partition("=")[2] if "=" in word else following
        for word, following in zip(argv, [*argv[1:], ""], strict=True)
        if word.partition("=")[0] == SERVES
    ]
    number = values[-1] if values else ""
    return int(number) if number.isdecimal() and 0 < int(number) < 1 << 16 else 0


class ServerFollower:
    """One session's server, if it has one."""

    def __init__(self, header: SessionHeader) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        agent, port = header.agent, port_of(header.argv)
        if port and agent in _followed():
            self._process = subprocess.Popen(
                own_program(
                    "dejavu.interfaces.cli", "import", "-",
                    "--agent", agent, "--from", f"http://127.0.0.1:{port}",
                    "--session", header.id, "--instance", header.instance,
                ),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                start_new_session=True,  # what the terminal sends its group is not for it
            )  # fmt: skip

    @property
    def runs(self) -> bool:
        """Whether there is one."""
        return self._process is not None

    def end(self) -> None:
        """Have everything written that was heard."""
        if self._process is not None:
            self._process.send_signal(signal.SIGINT)  # TERM is ignored here, and so by children
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(_LAST_WORD)  # else it ends on its own


def _followed() -> frozenset[str]:
    return frozenset(event_servers())
