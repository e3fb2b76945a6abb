"""Sessions in databases (or trees of files) that edit their messages in place, as a log of rows.

A source is a session, merged by id over all stores that hold it. Its raw stream is a log of what
was read: a line `{"session"}` when its row changed, then `{"keep": n}` (the first n messages stand
as they were) and every `{"message"}` from there on. An unchanged session costs its share of a
store's overview; a changed one costs the messages from the first that changed.

Tested in: tests/providers/opencode/test_files.py
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from dejavu.model import ProviderError, UnreadableSessionError

from ..formats.json_lines import as_dict, as_dicts, as_int
from ..parsing import RecordParser, restore
from ..protocol import Cursor, Home, Kind, RawDelta, Source
from .session_store import Entry, Message, Store
from .sqlite import reading

_BATCH = 64  # messages read at a time


class _Mark(msgspec.Struct, array_like=True, frozen=True):
    """The cursor: what told of changes, the session's print, the messages in order, the offset."""

    gates: list[tuple[int, ...]] = []
    session: bytes = b""
    messages: list[tuple[str, tuple[int, ...]]] = []
    offset: int = 0


class SessionDatabase(ABC):
    """Provider of an agent that keeps its sessions in databases."""

    agent: str
    parser_class: type[RecordParser]

    def __init__(self) -> None:
        self._stores: dict[Path, list[Store]] = {}
        self._roots: dict[Path, Path] = {}  # of a store: the folder it was found from

    @abstractmethod
    def roots(self, home: Home) -> tuple[Path, ...]:
        """The folders that it looks into."""

    @abstractmethod
    def stores_of(self, root: Path, home: Home | None) -> list[Store]:
        """The stores below a root; without a home those that lie there by habit."""

    @staticmethod
    def check(path: Path) -> None:
        """Raise what is wrong with a store that could not be listed."""
        reading(path, lambda connection: connection.execute("SELECT 1").fetchone())

    def discover(self, home: Home) -> Iterator[Source]:
        """A source for each session, in whichever stores it is."""
        for root in self.roots(home)[:1]:
            yield from self._discover_below(root, home)

    def _discover_below(self, root: Path, home: Home) -> Iterator[Source]:
        open_stores = {repr(store): store for store in self._stores.get(root, [])}
        found = self.stores_of(root, home)
        if not found:
            return
        # The same objects as before, for what they remember.
        current_stores = [open_stores.get(repr(store), store) for store in found]
        self._stores[root] = current_stores
        self._roots |= {store.path: root for store in current_stores}
        sessions: dict[str, list[Path]] = {}
        for store in current_stores:
            try:
                for native in store.sessions():
                    paths = sessions.setdefault(native, [])
                    paths += (store.path, *store.extra_paths(native))
            except ProviderError:
                # Its sessions are unknown; following it says what is wrong with it.
                yield Source(self.agent, store.path, home.instance, Kind.DATABASE)
        for native, (path, *extra) in sessions.items():
            yield Source(
                self.agent, path, home.instance, Kind.DATABASE, native, home.workspace,
                extra_paths=tuple(extra),
            )  # fmt: skip

    def sources_in(self, path: Path, instance: str, workspace: str | None) -> list[Source]:
        """A source for each session of a database that a user hands over.

        Raises:
            ProviderError: it cannot be read as one.
        """
        held = [store for store in self.stores_of(path.parent, None) if store.path == path]
        if not held:
            self.check(path)
        self._stores[path.parent] = held
        return [
            Source(self.agent, path, instance, Kind.DATABASE, native, workspace)
            for store in held
            for native in store.sessions()
        ]

    def follow(self, source: Source, since: Cursor | None = None) -> Iterator[RawDelta]:
        """The session's row and messages, from the first that changed."""
        native, path = source.native_id or "", source.path
        mark = _Mark() if since is None else msgspec.msgpack.decode(since, type=_Mark)
        if not native:
            for store in self._held(path):
                if store.path == path:
                    store.sessions()  # raises what discovery met
            self.check(path)
            return
        gated = [(store, _gate(store, native)) for store in self._held(path)]
        holding = [store for store, gate in gated if gate is not None]
        gates = [gate for _, gate in gated if gate is not None]
        if not holding:
            raise UnreadableSessionError(
                f"{path} no longer holds {native}; what was archived stays"
            )
        if gates == mark.gates:
            return
        session = max((store.session(native) for store in holding), key=_touched)
        row = msgspec.json.encode({"session": session})
        order, homes = _merged(native, holding, mark)
        keep = _alike(mark.messages, order)
        data = b"" if row == mark.session else row + b"\n"
        if keep < len(order):
            data += msgspec.json.encode({"keep": keep}) + b"\n"
        offset, done = mark.offset, keep
        archived = {name for name, _ in mark.messages}
        for batch in _batches(native, homes, order[keep:]):
            if damaged := [m["id"] for m in batch if m["id"] in archived and _is_damaged(m)]:
                raise UnreadableSessionError(
                    f"{path}: message {damaged[0]} of {native} is no JSON object any more; what was "
                    "archived stays"
                )
            data += b"".join(msgspec.json.encode({"message": message}) + b"\n" for message in batch)
            done += len(batch)
            partial = _Mark([], row, [*order[:done]], offset + len(data))
            yield RawDelta(offset, data, msgspec.msgpack.encode(partial))
            offset, data = offset + len(data), b""
        final = _Mark(gates, row, order, offset + len(data))
        yield RawDelta(offset, data, msgspec.msgpack.encode(final))

    def _held(self, path: Path) -> list[Store]:
        """The stores next to the one at `path`."""
        root = self._roots.get(path) or (path if path.is_dir() else path.parent)
        if root not in self._stores:
            self._stores[root] = self.stores_of(root, None)
        return self._stores[root]

    def parser(
        self, source: Source, state: bytes | None = None, *, restart: bool = False
    ) -> RecordParser:
        """A parser of that log; everything it needs is in it."""
        return restore(self.parser_class(source, {}), state, restart=restart)


def _gate(store: Store, native: str) -> tuple[int, ...] | None:
    """The store's gate for a session; a damaged store hides no other."""
    try:
        return store.gate(native)
    except ProviderError:
        return None


def _touched(session: dict[str, Any]) -> int:
    """When a session was last touched, as its store has it; -1 of one that is not there."""
    moment = session.get("time_updated") or as_dict(session.get("time")).get("updated")
    return (as_int(moment) or 0) if session else -1


def _merged(
    native: str, holding: list[Store], mark: _Mark
) -> tuple[list[tuple[str, tuple[int, ...]]], dict[str, Store]]:
    """The messages of all stores in order, and where each is; those deleted since keep theirs."""
    entries: dict[str, Entry] = {}
    homes: dict[str, Store] = {}
    for store in holding:
        for name, entry in store.index(native).items():
            if name not in homes:
                entries[name], homes[name] = entry, store
    gone = {name: stamp_ for name, stamp_ in mark.messages if name not in entries}
    order = [name for name, _ in mark.messages]
    # Ids rise with time, but the time itself is better where every store tells it.
    timed = all(entry.created for entry in entries.values())
    for name in sorted(entries.keys() - set(order), key=lambda name: _age(entries, name, timed)):
        index = len(order)
        while index and _age(entries, order[index - 1], timed) > _age(entries, name, timed):
            index -= 1
        order.insert(index, name)
    return [(name, gone[name] if name in gone else entries[name].print) for name in order], homes


def _age(entries: dict[str, Entry], name: str, timed: bool) -> tuple[float, str]:
    """What messages are ordered by; one deleted since is older than all."""
    if name not in entries:
        return (-1.0, "")
    return (entries[name].created if timed else 0.0, name)


def _alike(
    before: list[tuple[str, tuple[int, ...]]], now: list[tuple[str, tuple[int, ...]]]
) -> int:
    """How many messages at the beginning stand as they were."""
    pairs = zip(before, now, strict=False)
    return next((i for i, (a, b) in enumerate(pairs) if a != b), min(len(before), len(now)))


def _is_damaged(message: dict[str, Any]) -> bool:
    """Whether a message or a part of it holds nothing that can be read."""
    if message.get("deleted"):
        return False
    parts = [as_dict(part.get("data")) for part in as_dicts(message.get("parts"))]
    return not all([as_dict(message.get("data")), *parts])


def _batches(
    native: str, homes: dict[str, Store], order: list[tuple[str, tuple[int, ...]]]
) -> Iterator[list[dict[str, Any]]]:
    """The messages in order, a few at a time; a deleted one is a line that says so."""
    for start in range(0, len(order), _BATCH):
        names = [name for name, _ in order[start : start + _BATCH]]
        messages: dict[str, Message] = {}
        for store in {id(store): store for store in homes.values()}.values():
            wanted = [name for name in names if homes.get(name) is store]
            if wanted:
                messages |= {message["id"]: message for message in store.messages(native, wanted)}
        yield [messages.get(name, {"id": name, "deleted": True}) for name in names]
