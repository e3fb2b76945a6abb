"""A stream that was piped in or kept in a file, into the archive: its exact bytes and its turns.

Where another vector holds the same conversation, all are merged. The whole stream is in memory.
"""

import time
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from hashlib import blake2b

from dejavu.archive import Archive
from dejavu.model import RawDelta, UnreadableSessionError, Vector
from dejavu.providers import STREAMS

from .channel import Channel, ParserFactory, pushed_source
from .ingestor import Ingestor
from .merge.arbitrate import merge_vectors
from .merge.match_anonymous import match_anonymous
from .report import Report

PIECE = 1 << 20
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
    data = b"".join(pieces)
    if STREAMS[agent].sniff(data[:_HEAD]) < 0.5:
        beginning = f"it begins {data[:40]!r}" if data else "it is empty"
        raise UnreadableSessionError(
            f"{name}: no {agent} stream: {beginning}; see `{agent}`'s option for "
            "machine-readable output"
        )
    # The same bytes are the same source: ingesting them twice changes nothing.
    digest = blake2b(data, digest_size=12).hexdigest()
    source = pushed_source(agent, f"stream:{digest}", instance, workspace=workspace)
    channel = Channel(Vector.STREAM, source)
    make = partial(STREAMS[agent].parser, argv=argv, prompt=prompt)
    return commit_stream(archive, channel, data, make, clock=clock)


def commit_stream(
    archive: Archive,
    channel: Channel,
    data: bytes,
    make: ParserFactory,
    *,
    clock: Callable[[], float] = time.time,
) -> Report:
    """Store a stream that has ended, and merge its conversations with what other vectors have.

    A stream that cannot be parsed is stored as raw and named in the report as unreadable.
    """
    ingestor = Ingestor(archive, clock=clock)
    ingestor.report.sources = ingestor.report.read = 1
    reset = archive.raw_length(channel.key) > 0
    names = ingestor.commit(channel, RawDelta(0, data, reset=reset), make, final=True)
    ingestor.report.conversations = match_anonymous(archive, channel, names)
    for conversation in ingestor.report.conversations:
        merge_vectors(archive, conversation, clock=clock)
    return ingestor.report
