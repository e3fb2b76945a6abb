"""Reading agents' own traces into the archive: providers on one side, the archive on the other.

Takes homes; gives a `Report`. Each delta is committed with its turns and its cursor in one
transaction, so a crash at any moment loses nothing that was acknowledged and doubles nothing.
Costs O(sources) stats when nothing changed, and O(new bytes) otherwise. Writes nothing into an
agent's folder. A source that cannot be read is reported and left for the next time; a source that
vanished keeps all that was archived of it.
"""

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path

import msgspec

from dejavu.archive import Archive, Batch, RawAppend, TurnUpdate
from dejavu.providers import PROVIDERS, Home, Kind, Parser, Provider, Source, StaleState
from dejavu.record import Conversation, ProviderError

from .clock import now as clock

_SOURCES = "sources"


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
    report, now = Report(sources=1), clock()
    parser: Parser | None = None
    cursor = archive.cursor(source.key)
    try:
        for delta in provider.follow(source, cursor):
            if cursor is None:
                remember(archive, source)
                cursor = delta.cursor
            if parser is None or delta.reset:
                parser = _parser(archive, provider, source, fresh=delta.reset)
            if delta.data:
                parser.feed(delta.data, delta.offset)
            updates = parser.take()
            archive.commit(
                Batch(
                    raw=[RawAppend(source.key, delta.offset, delta.data, delta.reset)],
                    updates=[
                        TurnUpdate(_stamped(u.conversation, now), u.start, u.turns, source.key)
                        for u in updates
                    ],
                    cursors={source.key: delta.cursor},
                    states={source.key: parser.state()},
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


def remember(archive: Archive, source: Source) -> None:
    """Keep what a source was, so that its raw can be parsed again when it is long gone."""
    facts = {**asdict(source), "path": str(source.path), "kind": str(source.kind)}
    archive.shelf(_SOURCES).put(source.key.encode(), msgspec.msgpack.encode(facts))


def remembered(archive: Archive, key: str) -> Source | None:
    """What the source of `key` was; None if it was never read by `sync`."""
    kept = archive.shelf(_SOURCES).get(key.encode())
    if kept is None:
        return None
    facts = msgspec.msgpack.decode(kept)
    known = {field.name: facts[field.name] for field in fields(Source) if field.name in facts}
    return Source(**{**known, "path": Path(facts["path"]), "kind": Kind(facts["kind"])})


def _stamped(head: Conversation, now: float) -> Conversation:
    return msgspec.structs.replace(head, captured_at=now)


def _parser(archive: Archive, provider: Provider, source: Source, *, fresh: bool) -> Parser:
    """A parser that stands where the archived raw of `source` ends (`fresh`: at its start)."""
    state = None if fresh else archive.state(source.key)
    if state is None:
        return provider.parser(source)
    try:
        return provider.parser(source, state)
    except StaleState:
        # A newer parser does not know the old one's state: it reads our own raw again.
        parser = provider.parser(source, state, restart=True)
        at = 0
        for piece in archive.raw(source.key):
            parser.feed(piece, at)
            at += len(piece)
        return parser
