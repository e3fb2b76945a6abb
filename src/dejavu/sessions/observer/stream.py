"""An agent's machine-readable output where there is no terminal: kept exactly, and its turns.

Holds stdout's bytes as they pass if they are a stream that this agent's parser knows; plain text is
let go at its first line. `commit` stores the whole through the `Ingestor`, as `dejavu ingest` does.
Memory is O(bytes of the stream).
"""

from functools import partial
from pathlib import Path
from typing import Any

from dejavu.archive import Archive
from dejavu.ingest.channel import Channel
from dejavu.ingest.report import Report
from dejavu.ingest.stream import commit_stream
from dejavu.model import Conversation, NotFoundError, Vector
from dejavu.providers import STREAMS, Kind, Source

_SNIFF = 4096
"""Bytes after which the form of a stream is decided even if its first line has not ended."""

_MOMENT = 1.0
"""Seconds between two moments of arrival that are remembered."""


class StreamFollower:
    """One session's stdout."""

    def __init__(self, header: dict[str, Any]) -> None:
        self._header = header
        self._stream = STREAMS.get(str(header["agent"]))
        self._recognised = False
        self._data = bytearray()
        self._moments: list[tuple[int, float]] = []

    def feed(self, data: bytes, at: float) -> None:
        """Take the next bytes of stdout, which came `at` (Unix seconds)."""
        if self._stream is None:
            return
        if not self._moments or at - self._moments[-1][1] >= _MOMENT:
            self._moments.append((len(self._data), at))
        self._data += data
        if not self._recognised and (
            b"\n" in self._data[:_SNIFF].lstrip() or len(self._data) >= _SNIFF
        ):
            self._recognise()

    def _recognise(self) -> None:
        """Decide whether this is a stream at all; what is none is let go."""
        if self._stream is not None and self._stream.sniff(bytes(self._data[:_SNIFF])) >= 0.5:
            self._recognised = True
        else:
            self._stream = None
            self._data.clear()

    def commit(self, archive: Archive) -> Report | None:
        """Store the stream, which has ended; None if stdout was none.

        Raises:
            ArchiveError: it could not be stored (locked, full, damaged).
        """
        if not self._recognised:
            self._recognise()
        if self._stream is None:
            return None
        make = partial(
            self._stream.parser,
            argv=[str(word) for word in self._header["argv"]],
            started_at=self._header["started_at"],
            moments=self._moments,
        )
        return commit_stream(archive, self.channel, bytes(self._data), make)

    @property
    def channel(self) -> Channel:
        """The source that this session's stream is."""
        header, session = self._header, str(self._header["id"])
        source = Source(
            agent=str(header["agent"]),
            path=Path(f"dejavu-run session {session}"),
            instance=str(header["instance"]),
            kind=Kind.APPEND,
            workspace=str(header["workspace"]),
            name=session,
        )
        return Channel(Vector.STREAM, source)


def main_conversation(archive: Archive, report: Report) -> Conversation | None:
    """The summary of a stream's main conversation: not a sub-agent's, and the longest."""
    summaries: list[Conversation] = []
    for name in sorted(report.conversations):
        try:
            summaries.append(archive.summary(name))
        except NotFoundError:
            continue
    with_turns = [summary for summary in summaries if summary.turn_count]
    return max(with_turns, key=lambda one: (one.parent is None, one.turn_count), default=None)
