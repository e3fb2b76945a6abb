"""A read transaction on PostgreSQL: keys and values in pages, and hints that save round trips.

A range is read in pages that begin small and grow up to 4 MiB, each from the key the last one ended
at, so looking for one key costs one row. What was read is kept (at most 16 MiB).

A key or a page is one round trip: O(log n) on the server, O(rows) here. What is expected
(`expect...`) is asked with the next question, all of it in that one round trip; what it leaves known
of a stretch of keys is not asked again.

Tested in: tests/extensions/teams/test_postgres_transaction.py
"""

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import psycopg

from dejavu.archive.backends.known_ranges import KnownRanges, Row
from dejavu.archive.backends.transaction import Reader, Span
from dejavu.archive.keys import TABLES, after
from dejavu.archive.records import to_text

from .postgres_records import RECORDS
from .postgres_rows import turn_of

_GET = f"select value from {RECORDS} where key = %b"
_GET_ALL = f"select key, value from {RECORDS} where key = any(%b)"
_GET_ENDS = f"""
select low, key, value from unnest(%b::bytea[], %b::bytea[]) as wanted (low, high), lateral
 (select key, value from {RECORDS} where key >= low and key < high
   order by key desc limit 1) as found
"""
# Keys are worked out in a relation of their own: behind row-level security a condition with anything but
# a column in it may not use the index, and would ask of every record who may see it. `offset 0` keeps each
# stretch its own look-up: as one join it is guessed to be half of the table, and all of it is read.
_SPANS = f"""
with stretches as materialized (
  select place, coalesce(first.key, start) as first, high
    from unnest(%b::bytea[], %b::bytea[], %b::bytea[]) with ordinality as wanted (low, start, high, place)
    left join lateral (select key from {RECORDS} where key >= low and key <= start
                        order by key desc limit 1) as first on true)
"""
_COVERED = f"""
  from stretches, lateral (select key, value from {RECORDS}
                            where key >= stretches.first and key < stretches.high
                            order by key offset 0) as found
"""
_GET_SPANS = f"{_SPANS} select place, found.key, found.value {_COVERED} order by 1, 2"
_SIZE_OF_SPANS = f"{_SPANS} select coalesce(sum(octet_length(found.value)), 0)::bigint {_COVERED}"
_GET_CONVERSATIONS = f"""
select key, value from {RECORDS} where key = any(array(
  select unnest(array['\\x4e'::bytea || int8send(number), '\\x48'::bytea || convert_to(id, 'UTF8')])
    from dejavu_conversations where number = any(%b::bigint[])))
"""
_RANGE = {
    (columns, reverse): (
        f"select {columns} from {RECORDS} where key >= %b and key < %b "
        f"order by key {'desc ' if reverse else ''}limit %b"
    ).encode()
    for columns in ("key", "key, value")
    for reverse in (False, True)
}
# An entry is [checksum, bytes] in msgpack, whose two heads take 1 to 5 and 2 or 3 bytes; behind the
# 24 bytes of its hashes and first moment it names a conversation (conversations.py).
_LISTING = f"""
with listed as materialized (
  select key, value, '\\x48'::bytea || substring(
           value from head + case get_byte(value, head) when 196 then 2 else 3 end + 25) as named
    from (select key, value, case get_byte(value, 1) when 206 then 6 when 205 then 4 when 204 then 3
                             else 2 end as head
            from {RECORDS} where key >= %b and key < %b order by key desc limit %b) as entries)
select l.key, l.value, s.key, s.value from listed l left join {RECORDS} s on s.key = l.named
 order by l.key desc
"""

_FILTERED = f"select row_security_active('{RECORDS}')"
_SEES_ALL = "select dejavu_sees_all(current_user)"
_SEES_SOURCE = "select exists (select from dejavu_sources where number = %b)"
_SHOWN = """
select (to_jsonb(t) || jsonb_build_object('at', extract(epoch from t.at)::float8, 'parts', (
         select jsonb_agg(to_jsonb(p) order by p.part) from dejavu_parts p
          where p.conversation = t.conversation and p.seq = t.seq and p.month = t.month)))::text
  from dejavu_turns t where t.conversation = %b and t.seq >= %b and t.seq < %b order by t.seq
"""
_RECORDS = RECORDS.encode()
KEPT = 16 << 20
"""Bytes of what was read, and of what is to be written, in memory."""
_PAGE = 4 << 20  # bytes of a page of a range
_ROWS = 2_048
_KEYS = 4_096

Rows = list[tuple[Any, ...]]


class PostgresReader(Reader):
    """A read transaction of PostgreSQL's: a snapshot.

    What is expected is asked with the next question, all of it in that round trip.
    """

    far = True

    def __init__(
        self, cursor: psycopg.Cursor[Any], opening: Sequence[str] = (), *, table: str = RECORDS
    ) -> None:
        """Read through `cursor`, which returns binary rows, inside its transaction.

        `opening` are statements that begin one; they go with the first question, in one round trip.
        table: where the records are.
        """
        self._cursor = cursor
        self._table = table.encode()
        self._opening = tuple(opening)
        self._seen: dict[bytes, bytes | None] = {}
        self._size = 0
        self._partial: bool | None = None
        self._known = KnownRanges()
        self._hints: list[tuple[str, tuple[Any, ...], Callable[[Rows], None]]] = []

    @property
    def began(self) -> bool:
        """Whether anything was asked yet."""
        return not self._opening

    @property
    def partial(self) -> bool:
        """Whether records may be there that this login may not read. Up to two round trips, once."""
        if self._partial is None:
            filtered = self.rows(_FILTERED) == [(True,)]
            self._partial = filtered and self.rows(_SEES_ALL) == [(False,)]
        return self._partial

    def hides(self, source: int) -> bool:
        """Whether this login may not read a source that may be there. A round trip."""
        return self.partial and self.rows(_SEES_SOURCE, (source,)) == [(False,)]

    def shown_turns(self, conversation: int, start: int, stop: int) -> list[bytes]:
        """The texts of turns [start, stop) from the relations. A round trip."""
        if self._table != _RECORDS:
            return []
        found = self.rows(_SHOWN, (conversation, start, stop))
        return [to_text(turn_of(json.loads(row))) for (row,) in found]

    def rows(self, statement: str | bytes, values: tuple[Any, ...] = ()) -> Rows:
        """The rows of a statement, and in the same round trip whatever is expected."""
        opening, self._opening = self._opening, ()
        hints, self._hints = self._hints, []
        if not opening and not hints:
            return self._cursor.execute(self._bytes(statement), values).fetchall()
        connection = self._cursor.connection
        expected = [(connection.cursor(binary=True), *hint) for hint in hints]
        with connection.pipeline():
            for one in opening:
                connection.execute(one.encode())
            for cursor, hint, given, _ in expected:
                cursor.execute(self._bytes(hint), given)
            if statement:
                self._cursor.execute(self._bytes(statement), values)
        for cursor, _, _, absorb in expected:
            absorb(cursor.fetchall())
            cursor.close()
        return self._cursor.fetchall() if statement else []

    def _ask_hints(self) -> bool:
        """Ask what is expected; whether there was anything."""
        if self._hints:
            self.rows("")
            return True
        return False

    def stored(self, table: str, key: bytes) -> bytes | None:
        """Return what is stored at `key`."""
        return self._value(TABLES[table] + key)

    def _value(self, whole: bytes) -> bytes | None:
        if whole in self._seen or (self._ask_hints() and whole in self._seen):
            return self._seen[whole]
        rows = self.rows(_GET, (whole,))
        value = rows[0][0] if rows else None
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

        def absorb(rows: Rows) -> None:
            values: dict[bytes, bytes] = dict(rows)
            for key in unknown:
                self._keep(key, values.get(key))

        if unknown:
            self._hints.append((_GET_ALL, (unknown,), absorb))

    def expect_conversations(self, numbers: Iterable[int]) -> None:
        """Fetch the ids and the summaries of these numbers at once."""
        wanted = list(dict.fromkeys(numbers))

        def absorb(rows: Rows) -> None:
            for key, value in rows:
                self._keep(key, value)

        if wanted:
            self._hints.append((_GET_CONVERSATIONS, (wanted,), absorb))

    def expect_ends(self, table: str, prefixes: Iterable[bytes]) -> None:
        """Fetch the last record under each prefix at once; what comes after it is known, too."""
        lows = sorted({TABLES[table] + prefix for prefix in prefixes})
        highs = [after(low) or b"" for low in lows]

        def absorb(rows: Rows) -> None:
            first_rows = {low: (key, value) for low, key, value in rows}
            for low, high in zip(lows, highs, strict=True):
                ends = [first_rows[low]] if low in first_rows else []
                self._learn(ends[0][0] if ends else low, high, ends)

        if lows:
            self._hints.append((_GET_ENDS, (lows, highs), absorb))

    def expect_spans(self, table: str, spans: Iterable[Span]) -> None:
        """Fetch what covers each span at once: from the last record at or before its start on."""
        prefix = TABLES[table]
        wanted = sorted(
            {
                (prefix + low, prefix + start, prefix + high) for low, start, high in spans
                if not self._known.cover(prefix + start, prefix + high)
            }
        )  # fmt: skip

        def absorb(rows: Rows) -> None:
            found: dict[int, list[Row]] = {number: [] for number in range(len(wanted))}
            for place, key, value in rows:
                found[int(place) - 1].append((key, value))
            for (low, start, high), within in zip(wanted, found.values(), strict=True):
                begins = within[0][0] if within and within[0][0] <= start else low
                self._learn(begins, high, within)

        if wanted:
            self._hints.append((_GET_SPANS, tuple(map(list, zip(*wanted, strict=True))), absorb))

    def size_of(self, table: str, spans: Iterable[Span]) -> int:
        """Bytes of the values that cover some spans; they stay on the server."""
        prefix = TABLES[table]
        wanted = [(prefix + low, prefix + start, prefix + high) for low, start, high in spans]
        given = tuple(map(list, zip(*wanted, strict=True)))
        return int(self.rows(_SIZE_OF_SPANS, given)[0][0]) if wanted else 0

    def expect_listing(self, low: bytes, high: bytes, most: int) -> None:
        """Fetch the last `most` entries of the orders, and the summaries they name, at once."""
        prefix = TABLES["order"]
        low, high = prefix + low, prefix + high

        def absorb(rows: Rows) -> None:
            entries: list[Row] = [(key, value) for key, value, _, _ in reversed(rows)]
            for _, _, named, summary in rows:
                if named is not None:
                    self._keep(named, summary)
            self._learn(entries[0][0] if len(entries) >= most else low, high, entries)

        self._hints.append((_LISTING, (low, high, most), absorb))

    def _learn(self, start: bytes, stop: bytes, rows: list[Row]) -> None:
        """From `start` on, up to `stop`, there are these rows and no others."""
        for key, value in rows:
            self._keep(key, value)
        self._known.learn(start, stop, rows)

    def _range(self, low: bytes, high: bytes, *, reverse: bool) -> Iterator[Row]:
        """The stored rows between two whole keys."""
        start, stop, cached = self._known.below(high)
        if not (start <= low and high <= stop) and self._ask_hints():
            start, stop, cached = self._known.below(high)
        if high <= stop and (reverse or start <= low):
            within = [row for row in cached if low <= row[0] < high]
            yield from reversed(within) if reverse else within
            if start <= low:
                return
            high = start
        limit, statement = (1 if reverse else 8), _RANGE["key, value", reverse]
        while low < high:
            rows: list[Any] = self.rows(statement, (low, high, limit))
            if reverse and limit == 1:
                self._learn(rows[0][0] if rows else low, high, rows)
            else:
                for key, value in rows:
                    self._keep(key, value)
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
            rows = self.rows(_RANGE["key", False], (low, high, limit))
            for (key,) in rows:
                yield key
            if len(rows) < limit:
                return
            low, limit = rows[-1][0] + b"\0", min(8 * limit, _KEYS)

    def _keep(self, whole: bytes, value: bytes | None) -> None:
        self._size += len(whole) + len(value or b"")
        if self._size > KEPT:
            self._forget()
            self._size = len(whole) + len(value or b"")
        self._seen[whole] = value

    def _forget(self) -> None:
        self._seen.clear()
        self._known.clear()
        self._size = 0

    def _bytes(self, statement: str | bytes) -> bytes:
        asked = statement if isinstance(statement, bytes) else statement.encode()
        return asked if self._table == _RECORDS else asked.replace(_RECORDS, self._table)
