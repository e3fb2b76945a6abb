"""One write transaction on PostgreSQL: changes kept until the end, then sent at once.

`PostgresWriter` works on a cursor. What is written stays here, seen by the transaction's own reads,
and goes to the server at once, before the commit or beyond 16 MiB.
"""

from bisect import bisect_left, insort
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import Any

import psycopg

from dejavu.archive.backends.known_ranges import Row
from dejavu.archive.backends.transaction import Writer
from dejavu.archive.keys import TABLES, after

from .postgres_reader import KEPT, PostgresReader
from .postgres_records import RECORDS, RELATIONS, script

_PUT = (
    f"insert into {RECORDS} (key, value) select * from unnest(%b::bytea[], %b::bytea[]) "
    "on conflict (key) do update set value = excluded.value"
)
_DELETE = "select dejavu_delete_records(%b::bytea[])"

_SENT = 8 << 20  # bytes in one statement


class PostgresWriter(PostgresReader, Writer):
    """A write transaction of PostgreSQL's; the caller holds the writer's place."""

    def __init__(self, cursor: psycopg.Cursor[Any], opening: Sequence[str] = ()) -> None:
        """Write through `cursor`, inside its transaction; `opening` as `PostgresReader` has it."""
        super().__init__(cursor, opening)
        self._fresh: dict[bytes, bytes | None] = {}  # None: to be deleted
        self._order: list[bytes] = []
        self._waiting = 0
        self.touched: dict[bytes, bytes | None] = {}
        """What was changed, with what stood there before where that is known."""

    def stored(self, table: str, key: bytes) -> bytes | None:
        """Return what is stored at `key`, as this transaction left it."""
        whole = TABLES[table] + key
        return self._fresh[whole] if whole in self._fresh else self._value(whole)

    def stored_items(
        self, table: str, start: bytes = b"", stop: bytes | None = None, *, reverse: bool = False
    ) -> Iterator[Row]:
        """(key, value) with start <= key < stop, as this transaction left them."""
        prefix = TABLES[table]
        low = prefix + start
        high = bytes((prefix[0] + 1,)) if stop is None else prefix + stop
        fresh = self._between(low, high)
        if reverse:
            fresh.reverse()
        stored = self._range(low, high, reverse=reverse)
        for key, value in _merged(stored, fresh, reverse=reverse):
            yield key[1:], value

    def keys(self, table: str, prefix: bytes = b"") -> Iterator[bytes]:
        """The keys that begin with `prefix`, in order, as this transaction left them."""
        low = TABLES[table] + prefix
        high = after(low) or b""
        stored = ((key, b"") for key in self._keys(low, high))
        merged = _merged(stored, self._between(low, high), reverse=False)
        return (key[1:] for key, _ in merged)

    def put_stored(self, table: str, key: bytes, stored: bytes) -> None:
        """Set what is stored at `key`."""
        self._stage(TABLES[table] + key, stored)

    def delete(self, table: str, key: bytes) -> bool:
        """Remove `key`; True if it was there."""
        there = self.stored(table, key) is not None
        if there:
            self._stage(TABLES[table] + key, None)
        return there

    def _stage(self, whole: bytes, value: bytes | None) -> None:
        if whole not in self.touched:
            # Only of turns is it asked, and a store that is written whole has none before.
            known = whole[:1] == TABLES["turns"]
            self.touched[whole] = self._seen.get(whole) if known else None
        if whole not in self._fresh:
            insort(self._order, whole)
        self._fresh[whole] = value
        self._waiting += len(whole) + len(value or b"")
        if self._waiting > KEPT:
            self.flush()

    def _between(self, low: bytes, high: bytes) -> list[tuple[bytes, bytes | None]]:
        names = self._order[bisect_left(self._order, low) : bisect_left(self._order, high)]
        return [(key, self._fresh[key]) for key in names]

    def flush(self, between: Callable[[], None] | None = None) -> None:
        """Send what is written to the server; it is not committed by that.

        `between` is run after what goes and before what comes.
        """
        gone = [key for key, value in self._fresh.items() if value is None]
        if gone:
            self._cursor.execute(_DELETE, (gone,))
        if between is not None:
            between()
        fresh = ((key, self._fresh[key]) for key in self._order)
        for rows in _portions((key, value) for key, value in fresh if value is not None):
            self._cursor.execute(_PUT, ([key for key, _ in rows], [value for _, value in rows]))
        for key, value in self._fresh.items():
            self._keep(key, value)
        self._fresh, self._order, self._waiting = {}, [], 0
        self._known.clear()

    def set_aside(self, name: str) -> bool:
        """Start over, the old records being in a table `name` now; False if there were none."""
        self._forget()
        row = self._cursor.execute(f"select 1 from {RECORDS} limit 1").fetchone()
        copy = (
            f"create table {name} as select key, value from {RECORDS}; "
            f"alter table {name} add primary key (key); "
        ) if row else ""  # fmt: skip
        # Not renamed: rights and triggers belong to the table.
        script(self._cursor, f"{copy}truncate {', '.join((RECORDS, *RELATIONS))}")
        return row is not None

    def reader_of(self, table: str) -> PostgresReader:
        """A reader of records that this transaction put into another table."""
        return PostgresReader(self._cursor.connection.cursor(binary=True), table=table)


def _portions(rows: Iterator[Row]) -> Iterator[list[Row]]:
    """The rows in lists of about 8 MiB, and of 10,000 rows at the most."""
    while portion := list(islice(rows, 1)):
        size = len(portion[0][1])
        while size < _SENT and len(portion) < 10_000 and (row := next(rows, None)) is not None:
            portion.append(row)
            size += len(row[1])
        yield portion


def _merged(
    stored: Iterable[Row], fresh: list[tuple[bytes, bytes | None]], *, reverse: bool
) -> Iterator[Row]:
    """The stored rows with the fresh ones in their places; both in the same order."""
    position = 0
    for key, value in stored:
        while position < len(fresh) and (
            fresh[position][0] > key if reverse else fresh[position][0] < key
        ):
            before, changed = fresh[position]
            position += 1
            if changed is not None:
                yield before, changed
        if position < len(fresh) and fresh[position][0] == key:
            changed = fresh[position][1]
            position += 1
            if changed is not None:
                yield key, changed
        else:
            yield key, value
    for key, changed in fresh[position:]:
        if changed is not None:
            yield key, changed
