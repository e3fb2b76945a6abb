"""An agent's machine-readable output where there is no terminal: kept exactly, and its turns.

Holds stdout's bytes if they are a stream that this agent's parser knows; plain text is let go at
its first line. `commit` archives what came so far, `finish` the rest; what waits for either is in
memory, and past `_PIECE` bytes in a file without a name, which goes with its process. Memory:
O(`_PIECE`), and a pair of numbers for each second in which something came.
"""

import os
import tempfile
from functools import partial
from pathlib import Path

from dejavu.archive import Archive
from dejavu.ingest.channel import Channel
from dejavu.ingest.report import Report
from dejavu.ingest.stream import StreamWriter
from dejavu.model import Conversation, NotFoundError, Vector
from dejavu.providers import STREAMS, Kind, Source

from ..session_store import SessionHeader

_SNIFF = 4096
"""Bytes after which the form of a stream is decided even if its first line has not ended."""

_MOMENT = 1.0
"""Seconds between two moments of arrival that are remembered."""

_PIECE = 1 << 20
"""Bytes that are archived together, and that wait in memory."""


class StreamFollower:
    """One session's stdout. `folder` is where a file without a name may be made."""

    def __init__(self, header: SessionHeader, folder: Path | None = None) -> None:
        self._header = header
        self._stream = STREAMS.get(header.agent)
        self._recognised = False
        self._waiting = tempfile.SpooledTemporaryFile(  # noqa: SIM115 - open as long as this is
            max_size=_PIECE, dir=None if folder is None else str(folder)
        )
        self._head = b""
        self._size = 0
        self._moments: list[tuple[int, float]] = []
        self._writer: StreamWriter | None = None

    @property
    def waiting(self) -> int:
        """Bytes that are not archived yet."""
        return self._size - (0 if self._writer is None else self._writer.offset)

    @property
    def is_written(self) -> bool:
        """Whether some of it is in the archive."""
        return self._writer is not None and self._writer.offset > 0

    @property
    def conversation(self) -> str | None:
        """The conversation that it is, once it is named and alone."""
        names = () if self._writer is None else self._writer.names
        return next(iter(names)) if len(names) == 1 else None

    @property
    def is_full(self) -> bool:
        """Whether enough waits to be archived at once."""
        return self._recognised and self.waiting >= _PIECE

    def feed(self, data: bytes, at: float) -> None:
        """Take the next bytes of stdout, which came `at` (Unix seconds)."""
        if self._stream is None:
            return
        if not self._moments or at - self._moments[-1][1] >= _MOMENT:
            self._moments.append((self._size, at))
        self._waiting.seek(0, os.SEEK_END)
        self._waiting.write(data)
        self._size += len(data)
        if not self._recognised:
            self._head += data[: _SNIFF - len(self._head)]
            if b"\n" in self._head.lstrip() or self._size >= _SNIFF:
                self._recognise()

    def _recognise(self) -> None:
        """Decide whether this is a stream at all; what is none is let go."""
        if self._stream is not None and self._stream.sniff(self._head) >= 0.5:
            self._recognised = True
            make = partial(
                self._stream.parser,
                argv=self._header.argv,
                started_at=self._header.started_at,
                moments=self._moments,
            )
            self._writer = StreamWriter(self.channel, make)
        else:
            self.close()

    def commit(self, archive: Archive) -> None:
        """Archive what came so far.

        Raises:
            ArchiveError: it could not be stored (locked, full, damaged); it is not lost by that.
        """
        if self._writer is not None and self.waiting:
            self._writer.write(archive, self._write(archive, self._writer))
            self._waiting.seek(0)
            self._waiting.truncate()

    def finish(self, archive: Archive) -> Report | None:
        """Archive the rest of the stream, which has ended; None if stdout was none.

        Raises:
            ArchiveError: it could not be stored (locked, full, damaged).
        """
        if not self._recognised:
            self._recognise()
        if self._writer is None:
            return None
        report = self._writer.finish(archive, self._write(archive, self._writer))
        self.close()
        return report

    def close(self) -> None:
        """Let go of what waits; nothing is fed any more."""
        self._stream = None
        self._waiting.close()

    def _write(self, archive: Archive, writer: StreamWriter) -> bytes:
        """Archive all that waits but its last piece; return that."""
        self._waiting.seek(-self.waiting, os.SEEK_END)  # a failed try may have stored some of it
        piece = self._waiting.read(_PIECE)
        while following := self._waiting.read(_PIECE):
            writer.write(archive, piece)
            piece = following
        return piece

    @property
    def channel(self) -> Channel:
        """The source that this session's stream is."""
        header = self._header
        source = Source(
            agent=header.agent,
            path=Path(f"dejavu-run session {header.id}"),
            instance=header.instance,
            kind=Kind.APPEND,
            workspace=header.workspace,
            name=header.id,
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
    return max(
        with_turns, key=lambda summary: (summary.parent is None, summary.turn_count), default=None
    )
