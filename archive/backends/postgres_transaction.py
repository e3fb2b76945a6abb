"""One transaction on PostgreSQL: keys and values read in pages, changes kept until the end.

`PostgresReader` and `PostgresWriter` work on a cursor. A range is read in pages that begin small
and grow up to 4 MiB, each from the key the last one ended at, so looking for one key costs one
row. What was read is kept (at most 16 MiB); what is written stays here, seen by the transaction's
own reads, and goes to the server at once, before the commit or beyond 16 MiB.

A key or a page is one round trip: O(log n) on the server, O(rows) here. What is expected (`expect`,
`expect_ends`) is one for all of it; what it leaves known of a stretch of keys is not asked again.
"""

from bisect import bisect_left, insort
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any

import psycopg

from ..keys import TABLES, after
from .transaction import Reader, Writer

RECORDS = "dejavu_records"
"""The table; in the schema that the URL's `search_path` leads to."""
RELATIONS = (
    "dejavu_conversations", "dejavu_turns", "dejavu_parts", "dejavu_sources", "dejavu_links",
    "dejavu_notes",
)  # fmt: skip
"""What is made from the records (`postgres_relations.py`)."""

_GET = f"select value from {RECORDS} where key = %b"  # noqa: S608 - a name of ours
_GET_ALL = f"select key, value from {RECORDS} where key = any(%b)"  # noqa: S608
_GET_ENDS = f"""
select low, key, value from unnest(%b::bytea[], %b::bytea[]) as wanted (low, high), lateral
 (select key, value from {RECORDS} where key >= low and key < high
   order by key desc limit 1) as found
"""  # noqa: S608
_RANGE = {
    (columns, reverse): (
        f"select {columns} from {RECORDS} where key >= %b and key < %b "  # noqa: S608
        f"order by key {'desc ' if reverse else ''}limit %b"
    ).encode()
    for columns in ("key", "key, value")
    for reverse in (False, True)
}
# An entry is [checksum, bytes] in msgpack, whose two heads take 1 to 5 and 2 or 3 bytes; behind the
# 24 bytes of its hashes and first moment it names a conversation (conversations.py).
_LISTING = f"""
with listed as materialized (
  select key, value, case get_byte(value, 1) when 206 then 6 when 205 then 4 when 204 then 3
                     else 2 end as head
    from {RECORDS} where key >= %b and key < %b order by key desc limit %b)
select l.key, l.value, s.key, s.value from listed l left join {RECORDS} s
    on s.key = '\\x48'::bytea || substring(
         l.value from l.head + case get_byte(l.value, l.head) when 196 then 2 else 3 end + 25)
 order by l.key desc
"""  # noqa: S608
_PUT = (
    f"insert into {RECORDS} select * from unnest(%b::bytea[], %b::bytea[]) "  # noqa: S608
    "on conflict (key) do update set value = excluded.value"
)
_DELETE = f"delete from {RECORDS} where key = any(%b)"  # noqa: S608

_KEPT = 16 << 20  # bytes of what was read, and of what is to be written
_PAGE = 4 << 20  # bytes of a page of a range
_ROWS = 2_048
_KEYS = 4_096
_SENT = 8 << 20  # bytes in one statement

Row = tuple[bytes, bytes]


def script(cursor: psycopg.Cursor[Any], statements: str) -> None:
    """Run several statements in one round trip; their rows are not asked for."""
    cursor.connection.execute(statements.encode(), prepare=False).close()


class PostgresReader(Reader):
    """A read transaction of PostgreSQL's: a snapshot."""

    def __init__(self, cursor: psycopg.Cursor[Any], opening: Sequence[str] = ()) -> None:
        """Read through `cursor`, which returns binary rows, inside its transaction.

        `opening` are statements that begin one; they go with the first question, in one round trip.
        """
        self._cursor = cursor
        self._opening = tuple(opening)
        self._seen: dict[bytes, bytes | None] = {}
        self._size = 0
        # Stretches of keys whose rows are known: (stop, rows) by their start, which is in order.
        self._known: dict[bytes, tuple[bytes, list[Row]]] = {}
        self._starts: list[bytes] = []

    @property
    def began(self) -> bool:
        """Whether anything was asked yet."""
        return not self._opening

    def _execute(self, statement: Any, values: Any = None) -> psycopg.Cursor[Any]:
        if not self._opening:
            return self._cursor.execute(statement, values)
        opening, self._opening = self._opening, ()
        with self._cursor.connection.pipeline():
            for one in opening:
                self._cursor.connection.execute(one.encode())
            self._cursor.execute(statement, values)
        return self._cursor

    def stored(self, table: str, key: bytes) -> bytes | None:
        """Return what is stored at `key`."""
        return self._value(TABLES[table] + key)

    def _value(self, whole: bytes) -> bytes | None:
        if whole in self._seen:
            return self._seen[whole]
        row = self._execute(_GET, (whole,)).fetchone()
        value = None if row is None else row[0]
        self._keep(whole, value)
        return value

    def stored_items(
        self, table: str, start: bytes = b"", stop: bytes | None = None, *, reverse: bool = False
    ) -> Iterator[Row]:
        """(key, value) with start <= key < stop, in order or backwards."""
        prefix = TABLES[table]
        high = bytes((prefix[0] + 1,)) if stop is None else prefix + stop
        for key, value in self._range(prefix + start, high, reverse=reverse):
            yield key[1:], value

    def keys(self, table: str, prefix: bytes = b"") -> Iterator[bytes]:
        """The keys that begin with `prefix`, in order; the values are not asked for."""
        low = TABLES[table] + prefix
        return (key[1:] for key in self._keys(low, after(low) or b""))

    def expect(self, table: str, keys: Iterable[bytes]) -> None:
        """Fetch `keys` at once, those that are not known yet."""
        prefix = TABLES[table]
        unknown = [key for key in {prefix + key for key in keys} if key not in self._seen]
        if len(unknown) > 1:
            values = dict(self._execute(_GET_ALL, (unknown,)).fetchall())
            for key in unknown:
                self._keep(key, values.get(key))

    def expect_ends(self, table: str, prefixes: Iterable[bytes]) -> None:
        """Fetch the last record under each prefix at once; what comes after it is known, too."""
        lows = sorted({TABLES[table] + prefix for prefix in prefixes})
        highs = [after(low) or b"" for low in lows]
        rows = self._execute(_GET_ENDS, (lows, highs)).fetchall()
        first_rows = {low: (key, value) for low, key, value in rows}
        for low, high in zip(lows, highs, strict=True):
            ends = [first_rows[low]] if low in first_rows else []
            start = ends[0][0] if ends else low
            for key, value in ends:
                self._keep(key, value)
            self._learn(start, high, ends)

    def expect_listing(self, low: bytes, high: bytes, most: int) -> None:
        """Fetch the last `most` entries of the orders, and the summaries they name, at once."""
        prefix = TABLES["order"]
        low, high = prefix + low, prefix + high
        rows = self._execute(_LISTING, (low, high, most)).fetchall()
        entries: list[Row] = [(key, value) for key, value, _, _ in reversed(rows)]
        for key, value, named, summary in rows:
            self._keep(key, value)
            if named is not None:
                self._keep(named, summary)
        self._learn(entries[0][0] if len(entries) >= most else low, high, entries)

    def _learn(self, start: bytes, stop: bytes, rows: list[Row]) -> None:
        """From `start` on, up to `stop`, there are these rows and no others."""
        if start not in self._known:
            insort(self._starts, start)
        self._known[start] = max(stop, self._known.get(start, (b"", rows))[0]), rows

    def _range(self, low: bytes, high: bytes, *, reverse: bool) -> Iterator[Row]:
        """The stored rows between two whole keys."""
        position = bisect_left(self._starts, high) - 1
        start = self._starts[position] if position >= 0 else high
        stop, cached = self._known.get(start, (b"", []))
        if high <= stop and (reverse or start <= low):
            within = [row for row in cached if low <= row[0] < high]
            yield from reversed(within) if reverse else within
            if start <= low:
                return
            high = start
        limit, statement = (1 if reverse else 8), _RANGE["key, value", reverse]
        while low < high:
            rows: list[Row] = self._execute(statement, (low, high, limit)).fetchall()
            for key, value in rows:
                self._keep(key, value)
            if reverse and limit == 1:
                self._learn(rows[0][0] if rows else low, high, rows)
            yield from rows
            if len(rows) < limit:
                return
            if reverse:
                high = rows[-1][0]
            else:
                low = rows[-1][0] + b"\0"
            mean = 1 + sum(len(value) for _, value in rows) // len(rows)
            limit = max(1, min(8 * limit, _ROWS, _PAGE // mean))

    def _keys(self, low: bytes, high: bytes) -> Iterator[bytes]:
        """The stored keys between two whole keys."""
        limit = 64
        while low < high:
            rows: list[tuple[bytes]] = self._execute(
                _RANGE["key", False], (low, high, limit)
            ).fetchall()
            for (key,) in rows:
                yield key
            if len(rows) < limit:
                return
            low, limit = rows[-1][0] + b"\0", min(8 * limit, _KEYS)

    def _keep(self, whole: bytes, value: bytes | None) -> None:
        self._size += len(whole) + len(value or b"")
        if self._size > _KEPT:
            self._seen.clear()
            self._known, self._starts = {}, []
            self._size = len(whole) + len(value or b"")
        self._seen[whole] = value


class PostgresWriter(PostgresReader, Writer):
    """A write transaction of PostgreSQL's; the caller holds the writer's place."""

    def __init__(self, cursor: psycopg.Cursor[Any]) -> None:
        """Write through `cursor`, inside its transaction."""
        super().__init__(cursor)
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
        if self._waiting > _KEPT:
            self.flush()

    def _between(self, low: bytes, high: bytes) -> list[tuple[bytes, bytes | None]]:
        names = self._order[bisect_left(self._order, low) : bisect_left(self._order, high)]
        return [(key, self._fresh[key]) for key in names]

    def flush(self) -> None:
        """Send what is written to the server; it is not committed by that."""
        gone = [key for key, value in self._fresh.items() if value is None]
        if gone:
            self._cursor.execute(_DELETE, (gone,))
        fresh = ((key, self._fresh[key]) for key in self._order)
        for rows in _portions((key, value) for key, value in fresh if value is not None):
            self._cursor.execute(_PUT, ([key for key, _ in rows], [value for _, value in rows]))
        for key, value in self._fresh.items():
            self._keep(key, value)
        self._fresh, self._order, self._waiting = {}, [], 0
        self._known, self._starts = {}, []

    def set_aside(self, name: str) -> bool:
        """Begin anew, the old records being in a table `name` now; False if there were none."""
        self._seen.clear()
        self._known, self._starts = {}, []
        row = self._cursor.execute(f"select 1 from {RECORDS} limit 1").fetchone()  # noqa: S608
        copy = f"create table {name} as select key, value from {RECORDS}; " if row else ""  # noqa: S608
        # Not renamed: rights and triggers belong to the table.
        script(self._cursor, f"{copy}truncate {', '.join((RECORDS, *RELATIONS))}")
        return row is not None


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
