"""A source with the vector it is captured by: what parses it, and the record that is kept of it.

The record of a source is kept in the archive, so that its raw can be parsed again when the agent's
files are long gone. Texts in it that are no UTF-8 (names of files) are kept as bytes. One small
record a source; replaying costs O(raw bytes).
"""

import contextlib
from collections.abc import Callable, Collection, Mapping
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from dejavu.archive import Archive
from dejavu.archive.namespace import NamespaceTxn
from dejavu.model import TurnUpdate, Vector
from dejavu.providers import Cursor, Kind, Parser, Source, StaleStateError
from dejavu.providers.parsing import RecordParser
from dejavu.providers.spilled import read_file, spilled_source

SOURCES = "sources"
"""The namespace of session logs: a record for each source that can be parsed again."""
_MACHINES = "machines"
"""The namespace of machines by name; `_COMPLETE` is there once it has those of an older version."""
_COMPLETE = b"\0complete"
_MERGED = "tellings"
"""The namespace of sources that are merged with others of their conversation."""
_ALIASES = "aliases"
"""The namespace of conversations that a source names differently."""

ParserFactory = Callable[..., Parser]
"""`(source, state=None, *, restart=False)`, as `Provider.parser`."""


class Channel(NamedTuple):
    """A source and its vector."""

    vector: Vector
    source: Source

    @property
    def key(self) -> str:
        """The source's key in the archive."""
        return self.source.key

    @property
    def parser(self) -> ParserFactory:
        """What parses the source. Parsers are loaded when a vector is first used."""
        agent = self.source.agent
        match self.vector:
            case Vector.NATIVE:
                from dejavu.providers import PROVIDERS

                if (provider := PROVIDERS.get(agent)) is None:
                    from dejavu.providers.imports import ImportedFile  # a file that was handed over

                    provider = ImportedFile(agent)
                return provider.parser
            case Vector.STREAM:
                from dejavu.providers import STREAMS
                from dejavu.providers.formats import acp_stream

                if self.source.name.startswith(acp_stream.PREFIX):
                    return acp_stream.parser

                return STREAMS[agent].parser
            case Vector.HOOK:
                from dejavu.providers import HOOKS

                return HOOKS[agent].parser
            case Vector.OTLP:
                from dejavu.providers import TELEMETRY

                return TELEMETRY[agent].parser
            case Vector.WIRE:
                from dejavu.providers.formats.wire import parser

                return parser
            case Vector.SCREEN:
                raise ValueError("what a screen showed has no raw to parse")


def pushed_source(
    agent: str,
    name: str,
    instance: str,
    *,
    native_id: str | None = None,
    workspace: str | None = None,
) -> Source:
    """A source that is pushed to us as lines (a pipe, hooks, exports) and has no file."""
    return Source(agent, Path(name), instance, Kind.APPEND, native_id, workspace, name)


def spilled_reader(archive: Archive, source: Source) -> Callable[[Path], bytes | None]:
    """Read the spilled outputs of a session log: as they were archived, else from their files."""

    def read(path: Path) -> bytes | None:
        key = spilled_source(source, path).key
        return (
            b"".join(archive.sources.raw(key))
            if archive.sources.raw_length(key)
            else read_file(path)
        )

    return read


def resume(
    archive: Archive, channel: Channel, state: bytes | None, make: ParserFactory, *, stale: bool
) -> Parser:
    """A parser that is where the archived raw of a channel ends; without `state`, a new one.

    Where another version of the parser wrote `state`, or it is known to be `stale`, our own raw is
    read again: then the parser's next updates begin with the first turn.
    """
    parser: Parser | None = None
    if state is None or not stale:
        with contextlib.suppress(StaleStateError):
            parser = make(channel.source, state)
    if parser is not None:
        _read_spilled(archive, channel.source, parser)
        return parser
    parser = make(channel.source, state, restart=True)
    _read_spilled(archive, channel.source, parser)
    feed_raw(archive, channel.key, parser)
    parser.drift.clear()  # counted when the bytes were new
    return parser


def _read_spilled(archive: Archive, source: Source, parser: Parser) -> None:
    if isinstance(parser, RecordParser):
        parser.spilled.read = spilled_reader(archive, source)


def feed_raw(archive: Archive, key: str, parser: Parser) -> None:
    """Feed a parser all that the archive has of a source's latest writing."""
    offset = 0
    for piece in archive.sources.raw(key):
        parser.feed(piece, offset)
        offset += len(piece)


def replay(archive: Archive, channel: Channel) -> tuple[Parser, dict[str, TurnUpdate]]:
    """A channel parsed again from the archive's raw: its parser, and all turns by conversation."""
    from .rewrite import decode_state

    make, source = channel.parser, channel.source
    state = decode_state(archive.sources.state(channel.key)).parser
    parser = make(source) if state is None else make(source, state, restart=True)
    _read_spilled(archive, source, parser)
    updates: dict[str, TurnUpdate] = {}

    def take() -> None:
        for update in parser.take():
            name = update.conversation.id
            updates[name] = accumulate(updates.get(name), update)

    offset = 0
    for piece in archive.sources.raw(channel.key):
        parser.feed(piece, offset)
        offset += len(piece)
        if source.kind is not Kind.WHOLE:  # a document is parsed as a whole
            take()
    if channel.vector is Vector.STREAM and (close := getattr(parser, "close", None)):
        close()
    take()
    return parser, updates


def accumulate(before: TurnUpdate | None, update: TurnUpdate) -> TurnUpdate:
    """Both updates of a conversation as one from its first turn on."""
    if before is None or update.start == 0:
        return update
    return TurnUpdate(update.conversation, 0, (*before.turns[: update.start], *update.turns))


# -- cursors ----------------------------------------------------------------------------------------


def encode_cursor(kind: Kind, cursor: Cursor) -> bytes:
    """A cursor with the kind of source that it belongs to."""
    return kind.value[:1].encode() + cursor


def decode_cursor(stored: bytes | None) -> tuple[Kind | None, Cursor | None]:
    """The inverse of `encode_cursor`; no kind where an older version wrote it."""
    if not stored:
        return None, stored
    kind = next((kind for kind in Kind if kind.value[:1].encode() == stored[:1]), None)
    return (None, stored) if kind is None else (kind, stored[1:])


# -- the registry -----------------------------------------------------------------------------------


def save_session_logs(archive: Archive, sources: Collection[Source]) -> None:
    """Keep what these session logs are, and the machines they are from."""
    records = {source.key.encode(): _encode(source) for source in sources}
    if not records:
        return
    put_many(archive, SOURCES, records)
    names = {source.instance.encode("utf-8", "surrogateescape") for source in sources}
    namespace = archive.namespace(_MACHINES)
    if unknown := [name for name in names if namespace.get(name) is None]:
        put_many(archive, _MACHINES, dict.fromkeys(unknown, b""))


def known_machines(archive: Archive) -> frozenset[str]:
    """The machines that session logs are from. O(machines), once O(logs) for an older archive."""
    namespace = archive.namespace(_MACHINES)
    if namespace.get(_COMPLETE) is None:
        logs = archive.namespace(SOURCES).items()
        names = {decode_session_log(record).instance for _, record in logs}
        encoded = [name.encode("utf-8", "surrogateescape") for name in names]
        put_many(archive, _MACHINES, dict.fromkeys([*encoded, _COMPLETE], b""))
    names_now = (key for key, _ in namespace.items() if key != _COMPLETE)
    return frozenset(name.decode("utf-8", "surrogateescape") for name in names_now)


def load_session_log(archive: Archive, key: str) -> Source | None:
    """The session log of `key`; None if it was never read."""
    record = archive.namespace(SOURCES).get(key.encode())
    return None if record is None else decode_session_log(record)


def decode_session_log(record: bytes) -> Source:
    """What the record of a session log says."""
    return _decode(msgspec.msgpack.decode(record))


def save_merged(archive: Archive, channel: Channel) -> None:
    """Keep what a channel is, so that it can be merged with the others; once is enough."""
    namespace, key = archive.namespace(_MERGED), channel.key.encode()
    if namespace.get(key) is None:
        namespace.put(key, _encode(channel.source, vector=str(channel.vector)))


class SourceRecords:
    """Records of sources that wait to be kept, by their keys; `merged`: others hold the same."""

    def __init__(self) -> None:
        self._logs: dict[str, Channel] = {}
        self._merged: dict[str, Channel] = {}

    def add(self, channel: Channel, *, merged: bool) -> None:
        """Keep a record of a source with the next `save`."""
        (self._merged if merged else self._logs)[channel.key] = channel

    def drop(self, key: str) -> None:
        """Forget what waits of a source."""
        self._logs.pop(key, None)
        self._merged.pop(key, None)

    def save(self, archive: Archive) -> None:
        """Keep what waits. O(records)."""
        logs, self._logs = self._logs, {}
        merged, self._merged = self._merged, {}
        save_session_logs(archive, [channel.source for channel in logs.values()])
        for channel in merged.values():
            save_merged(archive, channel)


def load_merged(archive: Archive, key: str) -> Channel | None:
    """The source of `key` with its vector; None if it was never merged with others."""
    record = archive.namespace(_MERGED).get(key.encode("utf-8", "surrogateescape"))
    return None if record is None else _decode_merged(record)


def merged_channels(archive: Archive, conversation: str) -> list[Channel]:
    """The channels whose raw is replayed to merge a conversation, best vector first."""
    namespace = archive.namespace(_MERGED)
    records = [namespace.get(key.encode()) for key in archive.sources.of(conversation)]
    channels = [_decode_merged(record) for record in records if record is not None]
    return sorted(channels, key=lambda channel: channel.vector.rank)


def _decode_merged(record: bytes) -> Channel:
    fields = msgspec.msgpack.decode(record)
    return Channel(Vector(fields["vector"]), _decode(fields))


def put_many(archive: Archive, name: str, records: Mapping[bytes, bytes]) -> None:
    """Put several records into a namespace of the archive, in one transaction."""

    def put(txn: NamespaceTxn) -> None:
        for key, value in records.items():
            txn.put(key, value)

    archive.namespace(name).change(put)


def _encode(source: Source, **more: str) -> bytes:
    record = {**asdict(source), "path": str(source.path), "kind": str(source.kind), **more}
    del record["extra_paths"]  # found again whenever it is looked for
    return msgspec.msgpack.encode({name: _to_utf8(value) for name, value in record.items()})


def _decode(record: Mapping[str, Any]) -> Source:
    names = [field.name for field in fields(Source)]
    values: dict[str, Any] = {name: _from_utf8(record[name]) for name in names if name in record}
    values |= {"path": Path(values["path"]), "kind": Kind(values["kind"])}
    return Source(**values)


def _to_utf8(value: str | None) -> str | bytes | None:
    """`value`, as bytes where it is a name that is no UTF-8 (PEP 383)."""
    if value is None or value.isascii():
        return value
    raw = value.encode("utf-8", "surrogateescape")
    try:
        return raw.decode()
    except UnicodeDecodeError:
        return raw


def _from_utf8(value: str | bytes | None) -> str | None:
    return value.decode("utf-8", "surrogateescape") if isinstance(value, bytes) else value


def set_alias(archive: Archive, name: str, conversation: str) -> None:
    """Say that what a source calls the conversation `name` is another one."""
    archive.namespace(_ALIASES).put(name.encode(), conversation.encode())


def resolve_alias(archive: Archive, name: str) -> str:
    """The conversation that a source's `name` means: itself, mostly."""
    alias = archive.namespace(_ALIASES).get(name.encode())
    return name if alias is None else alias.decode()
