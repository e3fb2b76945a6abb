"""Reading agents' own traces into the archive: providers on one side, the archive on the other.

Takes homes; gives a `Report`. Each delta is committed with its turns and its cursor in one
transaction, so a crash at any moment loses nothing that was acknowledged and doubles nothing.
Costs O(sources) stats when nothing changed, and O(new bytes) otherwise. Writes nothing into an
agent's folder. A source that cannot be read is reported and left for the next time; a source that
vanished keeps all that was archived of it.
"""

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

import msgspec

from dejavu.archive import Archive, Batch, RawAppend
from dejavu.providers import PROVIDERS, Home, Parser, Provider, Source, StaleState
from dejavu.record import ProviderError


@dataclass(slots=True)
class Report:
    """What a sync did."""

    sources: int = 0
    read: int = 0
    bytes: int = 0
    conversations: set[str] = field(default_factory=set[str])
    unreadable: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    drift: Counter[str] = field(default_factory=Counter[str])

    def merge(self, other: "Report") -> None:
        """Add what `other` did."""
        self.sources += other.sources
        self.read += other.read
        self.bytes += other.bytes
        self.conversations |= other.conversations
        self.unreadable += other.unreadable
        self.drift += other.drift


class _Mark(msgspec.Struct, frozen=True, array_like=True):
    """What the archive remembers of a source: how far it was read, and the parser's state."""

    cursor: bytes
    parser: bytes
    length: int


_encode, _decode = msgspec.msgpack.Encoder().encode, msgspec.msgpack.Decoder(_Mark).decode


def sync_homes(
    archive: Archive,
    homes: Iterable[Home],
    *,
    agent: str | None = None,
    progress: Callable[[Source, Report], None] | None = None,
) -> Report:
    """Read every trace below `homes` (of one `agent` only, where named)."""
    report = Report()
    for home in homes:
        for provider in PROVIDERS.values():
            if agent is not None and provider.agent != agent:
                continue
            for source in provider.discover(home):
                report.merge(sync_source(archive, provider, source))
                if progress is not None:
                    progress(source, report)
    return report


def sync_source(archive: Archive, provider: Provider, source: Source) -> Report:
    """Read what is new in one source and commit it, delta by delta."""
    report = Report(sources=1)
    stored = archive.cursor(source.key)
    mark = _decode(stored) if stored is not None else None
    parser: Parser | None = None
    try:
        for delta in provider.follow(source, mark.cursor if mark else None):
            if parser is None or delta.reset:
                parser = _parser(archive, provider, source, None if delta.reset else mark)
            if delta.data:
                parser.feed(delta.data, delta.offset)
            updates = parser.take()
            length = delta.offset + len(delta.data)
            archive.commit(
                Batch(
                    raw=[RawAppend(source.key, delta.offset, delta.data, delta.reset)],
                    updates=[(u.conversation, u.start, u.turns) for u in updates],
                    cursors={source.key: _encode(_Mark(delta.cursor, parser.state(), length))},
                    links={source.key: tuple(u.conversation.id for u in updates)},
                )
            )
            report.read = 1
            report.bytes += len(delta.data)
            report.conversations |= {u.conversation.id for u in updates}
    except (OSError, ProviderError) as error:
        report.unreadable.append((str(source.path), str(error)))
    if parser is not None:
        report.drift += parser.drift
    return report


def _parser(archive: Archive, provider: Provider, source: Source, mark: _Mark | None) -> Parser:
    """A parser that stands where the archived raw of `source` ends."""
    if mark is None:
        return provider.parser(source)
    try:
        return provider.parser(source, mark.parser)
    except StaleState:
        # A newer parser does not know the old one's state: it reads our own raw again.
        parser = provider.parser(source, mark.parser, restart=True)
        at = 0
        for piece in archive.raw(source.key):
            parser.feed(piece, at)
            at += len(piece)
        return parser
