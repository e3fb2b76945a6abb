"""A change prepared without the writer's place: what it read, what it writes, and how it counts.

`PreparedWriter` works on a snapshot and on what this process knows from its last commit (`Knowledge`), which
others may have changed since. It notes whatever the change read, so that the server can look whether that is
as it was (`sql/0010_commits.sql`). New conversations and sources get numbers that were reserved; the log is
numbered by the server. What cannot be prepared so raises `NeedsPlaceError`: the change runs again under the
writer's place.

Tested in: tests/extensions/teams/test_postgres_prepare.py
"""

from collections.abc import Callable, Iterator
from hashlib import md5
from typing import Any, NamedTuple

import msgspec
import psycopg

from dejavu.archive.backends.known_ranges import Row
from dejavu.archive.backends.transaction import unwrap, wrap
from dejavu.archive.keys import META, TABLES, number_of
from dejavu.archive.records import Meta, pack, unpack

from .postgres_knowledge import Knowledge
from .postgres_transaction import PostgresWriter

_META = TABLES["meta"] + META
_LOG = TABLES["log"]
_COUNTERS = b"\xadconversations"  # behind it stand what commits change
_REMEMBERED = 4 << 20  # bytes kept from one commit to the next
_MOST_READ = 4_000  # records and stretches that the server is asked to look at again


class NeedsPlaceError(Exception):
    """The change has to run under the writer's place."""


class TooFewNumbersError(Exception):
    """The change needs so many numbers of conversations and sources more than were reserved."""

    def __init__(self, conversations: int, sources: int) -> None:
        super().__init__(conversations, sources)
        self.conversations, self.sources = conversations, sources


class Stretch(NamedTuple):
    """Keys that were read in a row: from `start` to `stop`, these and no others."""

    start: bytes
    stop: bytes
    digest: str


class _Reading:
    """A stretch while it is read: it grows with each row."""

    def __init__(self, low: bytes, high: bytes, *, reverse: bool) -> None:
        self.start, self.stop = (high, high) if reverse else (low, low)
        self._low, self._high, self._reverse = low, high, reverse
        self.keys: list[bytes] = []

    def take(self, key: bytes) -> None:
        self.keys.append(key)
        if self._reverse:
            self.start = key
        else:
            self.stop = key + b"\0"

    def end(self) -> None:
        self.start, self.stop = self._low, self._high

    def stretch(self) -> Stretch:
        hashed = md5(usedforsecurity=False)
        for key in sorted(self.keys):
            hashed.update(len(key).to_bytes(4) + key)
        return Stretch(self.start, self.stop, hashed.hexdigest())


class PreparedWriter(PostgresWriter):
    """A write transaction that is sent whole at its end, to be judged there."""

    def __init__(
        self, cursor: "psycopg.Cursor[Any]", opening: tuple[str, ...], knowledge: Knowledge
    ) -> None:
        """Read through `cursor`, in a snapshot that `opening` begins with the first question."""
        super().__init__(cursor, opening)
        self._knowledge = knowledge
        self._seen, self._known, self._size = knowledge.seen, knowledge.known, knowledge.size
        self.digests: dict[bytes, str | None] = {}
        self._readings: list[_Reading] = []
        self._base: Meta | None = None
        self._meta: Meta | None = None
        self.origin: bytes | None = None
        self.entries: list[bytes] = []
        self.expect("meta", [META])

    @property
    def stretches(self) -> list[Stretch]:
        """The stretches of keys that were read."""
        return [one.stretch() for one in self._readings if one.start < one.stop]

    @property
    def gone(self) -> list[bytes]:
        """The keys of what is taken away."""
        return [key for key in self._order if self._fresh[key] is None]

    @property
    def put_rows(self) -> list[Row]:
        """What is written, except the log and the archive's own record."""
        pairs = ((key, self._fresh[key]) for key in self._order)
        return [(key, value) for key, value in pairs if value is not None]

    @property
    def changed(self) -> bool:
        """Whether there is anything to write."""
        return bool(self._fresh or self.entries or self._meta != self._base)

    @property
    def sequence(self) -> int:
        """The number of the log's last entry before this change, as far as is known here."""
        return 0 if self._base is None else self._base.sequence

    def check(self) -> None:
        """Raise where this cannot be sent as it is.

        Raises:
            NeedsPlaceError: too much was read, or the archive's own record changed otherwise than by counting.
            TooFewNumbersError: more numbers are needed.
        """
        if len(self.digests) + sum(len(one.keys) for one in self._readings) > _MOST_READ:
            raise NeedsPlaceError
        base, after = self._base, self._meta
        if base is None or after is None:
            if self.entries:
                raise NeedsPlaceError
            return
        fixed = {"conversations": 0, "sources": 0, "sequence": 0, "turns": 0, "raw_bytes": 0}
        same = msgspec.structs.replace(base, **fixed) == msgspec.structs.replace(after, **fixed)
        if not same or after.sequence - base.sequence != len(self.entries):
            raise NeedsPlaceError
        wanted = self._taken()
        if min(wanted) < 0:
            raise NeedsPlaceError
        knowledge = self._knowledge
        if wanted[0] > knowledge.conversations.left or wanted[1] > knowledge.sources.left:
            raise TooFewNumbersError(*wanted)

    def _taken(self) -> tuple[int, int]:
        base, after = self._base, self._meta
        if base is None or after is None:
            return 0, 0
        return after.conversations - base.conversations, after.sources - base.sources

    @property
    def highest(self) -> list[int]:
        """The highest numbers of conversations and sources that this change gave; 0 for none."""
        conversations, sources = self._taken()
        knowledge = self._knowledge
        return [
            knowledge.conversations.used + conversations if conversations else 0,
            knowledge.sources.used + sources if sources else 0,
        ]

    @property
    def counted(self) -> list[int]:
        """What is added to the turns and the raw bytes."""
        base, after = self._base, self._meta
        if base is None or after is None:
            return [0, 0]
        return [after.turns - base.turns, after.raw_bytes - base.raw_bytes]

    def use_numbers(self) -> None:
        """Give the reserved numbers that this change took to nothing else."""
        conversations, sources = self._taken()
        self._knowledge.conversations.used += conversations
        self._knowledge.sources.used += sources

    def remember(self) -> None:
        """Let the next change know what this one left."""
        for key, value in self._fresh.items():
            self._keep(key, value)
            self._known.change(key, value)
        knowledge = self._knowledge
        knowledge.size = self._size
        if knowledge.size > _REMEMBERED:
            knowledge.clear()

    def stored(self, table: str, key: bytes) -> bytes | None:
        """Return what is stored at `key`, as this transaction left it."""
        if table == "meta" and key == META:
            return self._stored_meta()
        return super().stored(table, key)

    def _stored_meta(self) -> bytes:
        if self._meta is None:
            value = super()._value(_META)
            if value is None:
                raise NeedsPlaceError  # a store that was just made
            packed = unwrap(_META, value)
            self.origin = packed[: max(0, packed.find(_COUNTERS))]
            self._base = self._meta = unpack(packed, Meta)
            knowledge = self._knowledge
            if knowledge.conversations.left:
                self._base.conversations = knowledge.conversations.used
            if knowledge.sources.left:
                self._base.sources = knowledge.sources.used
        return wrap(_META, pack(self._meta))

    def put_stored(self, table: str, key: bytes, stored: bytes) -> None:
        """Set what is stored at `key`."""
        if table == "meta":
            if key != META or self._base is None:
                raise NeedsPlaceError
            self._meta = unpack(unwrap(_META, stored), Meta)
        elif table == "log":
            if self._base is None or number_of(key) != self.sequence + len(self.entries) + 1:
                raise NeedsPlaceError
            self.entries.append(unwrap(_LOG + key, stored))
        elif self._is_there(TABLES[table] + key, stored):
            self._note(TABLES[table] + key, stored)
        else:
            super().put_stored(table, key, stored)

    def _is_there(self, whole: bytes, stored: bytes) -> bool:
        return whole not in self._fresh and self._seen.get(whole) == stored

    def delete(self, table: str, key: bytes) -> bool:
        """Remove `key`; True if it was there."""
        if table in ("meta", "log"):
            raise NeedsPlaceError
        return super().delete(table, key)

    def flush(self, between: Callable[[], None] | None = None) -> None:
        """Not in parts: too much was written.

        Raises:
            NeedsPlaceError: always.
        """
        raise NeedsPlaceError(between)

    def set_aside(self, name: str) -> bool:
        """Not without the writer's place.

        Raises:
            NeedsPlaceError: always.
        """
        raise NeedsPlaceError(name)

    def _value(self, whole: bytes) -> bytes | None:
        value = super()._value(whole)
        self._note(whole, value)
        return value

    def _note(self, whole: bytes, value: bytes | None) -> None:
        if whole not in self.digests:
            digest = None if value is None else md5(value, usedforsecurity=False).hexdigest()
            self.digests[whole] = digest

    def _range(self, low: bytes, high: bytes, *, reverse: bool) -> Iterator[Row]:
        if low[:1] == _LOG and self.entries:
            raise NeedsPlaceError
        reading = _Reading(low, high, reverse=reverse)
        self._readings.append(reading)
        for key, value in super()._range(low, high, reverse=reverse):
            reading.take(key)
            self._note(key, value)
            yield key, value
        reading.end()

    def _keys(self, low: bytes, high: bytes) -> Iterator[bytes]:
        reading = _Reading(low, high, reverse=False)
        self._readings.append(reading)
        for key in super()._keys(low, high):
            reading.take(key)
            yield key
        reading.end()
