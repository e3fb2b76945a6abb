"""A stream that was piped in or kept in a file, into the archive: its exact bytes and its turns.

Where another vector holds the same conversation, all are merged. `ingest` has a stream of up to
`WHOLE` bytes in memory, and a longer one in a nameless file until it is known what it is called: by
its bytes. `StreamWriter` takes a stream in pieces while it runs. Of a line that is too long to be read whole
(`formats.long_lines`) only the beginning is read; memory is O(longest line that is read whole).
"""

import os
import time
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from tempfile import SpooledTemporaryFile
from typing import IO

from dejavu.archive import Archive
from dejavu.archive.redactor import archive_redactor
from dejavu.model import RawDelta, UnreadableSessionError, Vector
from dejavu.model.blake2 import blake2b
from dejavu.providers import STREAMS
from dejavu.providers.formats.long_lines import TRUNCATED, UNCHECKED, longest_line

from .channel import Channel, ParserFactory, pushed_source
from .ingestor import Ingestor
from .merge.arbitrate import merge_vectors
from .merge.match_anonymous import match_anonymous
from .report import Report
from .spool import save_lines

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
    with received(
        agent, pieces, instance=instance, workspace=workspace, argv=argv, prompt=prompt, name=name
    ) as stream:
        return stream.store(archive, clock=clock)


@contextmanager
def received(
    agent: str,
    pieces: Iterable[bytes],
    *,
    instance: str,
    workspace: str,
    argv: Sequence[str] = (),
    prompt: str | None = None,
    name: str = "-",
) -> Generator["ReceivedStream"]:
    """A whole stream of `agent`, read before any archive is opened.

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
            clean = archive_redactor().redact(head.decode("utf-8", "replace"))[:40]
            beginning = f"it begins {clean!r}" if head else "it is empty"
            raise UnreadableSessionError(
                f"{name} is not a {agent} stream: {beginning}; see `{agent}`'s option for "
                "machine-readable output"
            )
        # The same bytes are the same source: ingesting them twice changes nothing.
        source = pushed_source(agent, f"stream:{digest.hexdigest()}", instance, workspace=workspace)
        channel = Channel(Vector.STREAM, source)
        yield ReceivedStream(channel, stream, size, argv, prompt, "stdin" if name == "-" else name)


class ReceivedStream:
    """A stream that has been read whole; `store` it, or `keep` it where no archive takes it."""

    def __init__(
        self, channel: Channel, file: IO[bytes], size: int, argv: Sequence[str], prompt: str | None,
        name: str,
    ) -> None:  # fmt: skip
        self._channel, self._file, self._size = channel, file, size
        self._argv, self._prompt, self._name = argv, prompt, name

    def store(self, archive: Archive, *, clock: Callable[[], float] = time.time) -> Report:
        """Store it, and merge it with what other vectors have of its conversations.

        Raises:
            ArchiveError: it could not be stored (locked, disk full, damaged, refused).
        """
        channel = self._channel
        self._file.seek(0)
        make = partial(STREAMS[channel.source.agent].parser, argv=self._argv, prompt=self._prompt)
        writer = StreamWriter(channel, make)
        if self._size <= WHOLE:
            report = writer.finish(archive, self._file.read(), clock=clock)
            if count := report.drift[TRUNCATED]:
                report.truncated = [(self._name, count)]
            return report
        if archive.sources.raw_length(channel.key) == self._size:
            report = Report(sources=1, read=1)
            names = set(archive.sources.conversations(channel.key))
            report.conversations = _merge(archive, channel, names, clock)
            return report
        long: list[int] = []
        for piece in _line_pieces(self._file, long):
            writer.write(archive, piece)
        report = writer.finish(archive, clock=clock)
        report.bytes = self._size
        report.truncated = [(f"{self._name}, line {number}", 1) for number in long]
        return report

    def keep(self, spool: Path) -> None:
        """Put it into the spool, durable on return; a part that was stored already stays so.

        Raises:
            OSError: it could not be written.
        """
        self._file.seek(0)
        save_lines(spool, self._channel, self._file, offset=0, prompt=self._prompt)


def _line_pieces(file: IO[bytes], long: list[int]) -> Iterator[bytes]:
    """Yield a file in whole lines, and lines that are too long in parts; add their numbers to `long`."""
    number = 1  # of the line that begins where the file is read
    while piece := file.read(PIECE):
        end = piece.rfind(b"\n") + 1
        if not end:
            file.seek(-len(piece), os.SEEK_CUR)
            if (length := _line_length(file)) <= longest_line():
                piece, end = file.read(length), length
            else:
                long.append(number)
                yield from _parts(file, length)
                number += 1
                continue
        file.seek(end - len(piece), os.SEEK_CUR)
        piece = piece[:end]
        number += piece.count(b"\n")
        yield piece


def _line_length(file: IO[bytes]) -> int:
    """Bytes of the line that begins where the file is read, which stays there."""
    start = file.tell()
    while piece := file.read(PIECE):
        if end := piece.find(b"\n") + 1:
            length = file.tell() - len(piece) + end - start
            break
    else:
        length = file.tell() - start
    file.seek(start)
    return length


def _parts(file: IO[bytes], length: int) -> Iterator[bytes]:
    """Yield the next bytes of a file, a piece at a time."""
    while length > 0 and (piece := file.read(min(PIECE, length))):
        length -= len(piece)
        yield piece


def _merge(
    archive: Archive, channel: Channel, names: set[str], clock: Callable[[], float]
) -> set[str]:
    """Merge the conversations of a stream that has ended; return them by the ids they have now."""
    conversations = match_anonymous(archive, channel, names)
    for conversation in conversations:
        merge_vectors(archive, conversation, clock=clock)
    return conversations


class StreamWriter:
    """Writes one stream into archives, which may be reopened for every piece.

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
        self._open = 0  # bytes of a line that has not ended

    def write(self, archive: Archive, data: bytes) -> None:
        """Store the next piece.

        Raises:
            ArchiveError: it could not be stored (locked, disk full, damaged).
        """
        ingestor = Ingestor(archive)
        end = data.rfind(b"\n") + 1
        self._open = len(data) - end + (0 if end else self._open)
        # A parser's state holds the line that has not ended, and each piece would store it again.
        if self._failed or (not end and self._open > UNCHECKED):
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
        stale = self.offset == 0 and archive.sources.raw_length(self._channel.key) > 0
        return RawDelta(self.offset, data, reset=stale)
