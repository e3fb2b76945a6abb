"""A stream that was piped in or kept in a file, into the archive: its exact bytes and its turns.

Where another vector holds the same conversation, all are merged. `ingest` has a stream of up to
`WHOLE` bytes in memory, and a longer one in a nameless file until it is known what it is called: by
its bytes. `StreamWriter` takes a stream in pieces while it runs, with O(piece) memory.
"""

import time
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from hashlib import blake2b
from tempfile import SpooledTemporaryFile

from dejavu.archive import Archive
from dejavu.model import RawDelta, UnreadableSessionError, Vector
from dejavu.providers import STREAMS

from .channel import Channel, ParserFactory, pushed_source
from .ingestor import Ingestor
from .merge.arbitrate import merge_vectors
from .merge.match_anonymous import match_anonymous
from .report import Report

PIECE = 1 << 20
WHOLE = 16 << 20
_HEAD = 4096


def ingest(
    archive: Archive,
    agent: str,
    pieces: Iterable[bytes],
    *,
    instance: str,
    workspace: str,
    argv: Sequence[str] = (),
    prompt: str | None = None,
    name: str = "-",
    clock: Callable[[], float] = time.time,
) -> Report:
    """Store a whole stream of `agent`.

    Raises:
        UnreadableSessionError: it is no such stream; says how it begins.
    """
    with SpooledTemporaryFile(WHOLE) as stream:
        digest = blake2b(digest_size=12)
        for piece in pieces:
            digest.update(piece)
            stream.write(piece)
        size = stream.tell()
        stream.seek(0)
        head = stream.read(_HEAD)
        if STREAMS[agent].sniff(head) < 0.5:
            beginning = f"it begins {head[:40]!r}" if head else "it is empty"
            raise UnreadableSessionError(
                f"{name}: no {agent} stream: {beginning}; see `{agent}`'s option for "
                "machine-readable output"
            )
        # The same bytes are the same source: ingesting them twice changes nothing.
        source = pushed_source(agent, f"stream:{digest.hexdigest()}", instance, workspace=workspace)
        channel = Channel(Vector.STREAM, source)
        writer = StreamWriter(channel, partial(STREAMS[agent].parser, argv=argv, prompt=prompt))
        stream.seek(0)
        if size <= WHOLE:
            return writer.finish(archive, stream.read(), clock=clock)
        if archive.raw_length(channel.key) == size:
            report = Report(sources=1, read=1)
            names = set(archive.conversations(channel.key))
            report.conversations = _merge(archive, channel, names, clock)
            return report
        while piece := stream.read(PIECE):
            writer.write(archive, piece)
        report = writer.finish(archive, clock=clock)
        report.bytes = size
        return report


def _merge(
    archive: Archive, channel: Channel, names: set[str], clock: Callable[[], float]
) -> set[str]:
    """Merge the conversations of a stream that has ended; return them by the ids they have now."""
    conversations = match_anonymous(archive, channel, names)
    for conversation in conversations:
        merge_vectors(archive, conversation, clock=clock)
    return conversations


class StreamWriter:
    """Writes one stream into archives, which may be opened anew for every piece.

    What was written is durable, its turns too. After a piece that could not be parsed only the
    bytes of the following ones are stored; all are parsed once more at the end.
    """

    def __init__(self, channel: Channel, make: ParserFactory) -> None:
        self._channel, self._make = channel, make
        self.offset = 0
        """Bytes written so far."""
        self.names: set[str] = set()
        """The conversations it belongs to, as far as that is known."""
        self._failed = False

    def write(self, archive: Archive, data: bytes) -> None:
        """Store the next piece.

        Raises:
            ArchiveError: it could not be stored (locked, disk full, damaged).
        """
        ingestor = Ingestor(archive)
        if self._failed:
            ingestor.commit_raw(self._channel, self._delta(archive, data))
        else:
            self.names |= ingestor.commit(self._channel, self._delta(archive, data), self._make)
            self._failed = bool(ingestor.report.unreadable)
        self.offset += len(data)

    def finish(
        self, archive: Archive, data: bytes = b"", *, clock: Callable[[], float] = time.time
    ) -> Report:
        """Store the last piece; merge the conversations with what other vectors have of them.

        Raises:
            ArchiveError: it could not be stored (locked, disk full, damaged).
        """
        ingestor = Ingestor(archive, clock=clock)
        ingestor.report.sources = ingestor.report.read = 1
        delta = self._delta(archive, data)
        self.names |= ingestor.commit(self._channel, delta, self._make, final=True)
        self.offset += len(data)
        ingestor.report.conversations = _merge(archive, self._channel, self.names, clock)
        return ingestor.report

    def _delta(self, archive: Archive, data: bytes) -> RawDelta:
        stale = self.offset == 0 and archive.raw_length(self._channel.key) > 0
        return RawDelta(self.offset, data, reset=stale)
