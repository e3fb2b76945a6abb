"""The relations made from the records: conversations, turns, parts, sources, links, memories.

A writer says which records it touched; `Relations.statements` brings the relations to what they say, in the
same transaction and in one round trip, whatever touched them: a commit, a prune, a repair, a restore.
Turns are compared with what their blocks held before, so that appending one sends one.

What cannot be read (a damaged block) is left out with a line in the log: it must not keep a commit
from being durable.
Costs O(blocks touched + their raw), as the commit itself.
"""

import logging
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Set
from datetime import UTC, date, datetime
from typing import Any

import psycopg

from dejavu.archive.backends.transaction import Reader, unwrap
from dejavu.archive.keys import TABLES, block_key, block_of, number_of
from dejavu.archive.raw import Chunks
from dejavu.archive.records import Block, Source, SummaryRecord, from_text, unpack
from dejavu.archive.turns import BLOCK_TURNS, texts_of
from dejavu.model import Conversation, CorruptArchiveError, Turn

from . import postgres_relation_sql as sql
from .postgres_migrations import WITH_PROJECTS
from .postgres_rows import (
    Row,
    clean,
    clean_or_none,
    conversation_row,
    documents,
    first_moment,
    moment,
    part_row,
    record_of,
    record_to_json,
    usage_of,
)

_log = logging.getLogger(__name__)

_BLOCK_KEY = len(block_key(0, 0))
_UNREAD = b"?"
"""In place of a turn's text that went with the raw it leant on: it differs from every text."""
_BLOCKS = 64  # blocks whose turns are in memory at once
_LETTERS = {TABLES[name]: name for name in ("summaries", "turns", "sources", "links", "namespaces")}
_MEMORIES = b"memories\0"
_OLDEST, _LATEST = date(2000, 1, 1), date(2100, 1, 1)
_FIRST_MONTH = datetime(2020, 1, 1, tzinfo=UTC).timestamp()
_AHEAD = 62 * 86_400.0

Statement = tuple[str, str]
"""SQL, and the JSON document that is its one parameter."""


class Relations:
    """The relations of one archive, being brought up to one transaction's records."""

    def __init__(
        self, txn: Reader, reached: int, months: Set[date] = frozenset(), now: float | None = None
    ) -> None:
        """`months` are partitions known to be there; those that are made are in `months` of this.

        reached: the schema of the tables.
        """
        with_projects = reached >= WITH_PROJECTS
        self._places_sql = sql.PLACES_OF_PROJECTS if with_projects else sql.PLACES
        self._conversations_sql = (
            sql.CONVERSATIONS_OF_PROJECTS if with_projects else sql.CONVERSATIONS
        )
        with_meta = reached >= sql.WITH_META
        self._turns_sql = sql.TURNS_WITH_META if with_meta else sql.TURNS
        self._parts_sql = sql.PARTS_WITH_ERRORS if with_meta else sql.PARTS
        self._txn = txn
        self.months = set(months)
        self._now = time.time() if now is None else now
        self._chunks = Chunks()

    def write(self, cursor: "psycopg.Cursor[Any]", touched: Mapping[bytes, bytes | None]) -> None:
        """Run the `statements` for what was touched."""
        for statement, document in self.statements(touched):
            cursor.execute(statement.encode(), (document,))

    def statements(self, touched: Mapping[bytes, bytes | None]) -> Iterator[Statement]:
        """Yield what brings the relations to what the records at `touched` say now, in order.

        Values are what was stored there before, None where that was nothing or is not known.
        """
        by_table: defaultdict[str, dict[bytes, bytes | None]] = defaultdict(dict)
        for whole, before in touched.items():
            table = _LETTERS.get(whole[:1])
            if table is not None:
                by_table[table][whole[1:]] = before
        summaries: dict[int, Conversation] = {}
        yield from self._conversations(by_table["summaries"], summaries)
        yield from self._sources(by_table["sources"])
        for blocks in _portions(by_table["turns"]):
            yield from self._turns(blocks, summaries)
        yield from self._links(by_table["links"])
        yield from self._notes(by_table["namespaces"])

    def _value(self, table: str, key: bytes) -> bytes | None:
        try:
            return self._txn.get(table, key)
        except CorruptArchiveError as error:
            _log.warning("left out of the relations: %s", error)
            return None

    def _conversations(
        self, keys: Iterable[bytes], summaries: dict[int, Conversation]
    ) -> Iterator[Statement]:
        gone: list[str] = []
        rows: list[Row] = []
        for key in keys:
            value = self._value("summaries", key)
            try:
                if value is None:
                    gone.append(clean(key.decode("utf-8", "replace")))
                    continue
                record = unpack(value, SummaryRecord)
                summary = from_text(record.conversation, Conversation)
            except CorruptArchiveError as error:
                _log.warning("left out of the relations: %s", error)
                continue
            summaries[record.number] = summary
            rows.append(conversation_row(record, summary))
        yield from _send(sql.GONE_CONVERSATIONS, gone)
        places = sorted({(row["workspace"], row["project"] or "", row["instance"]) for row in rows})
        places_rows = ({"workspace": w, "project": p, "instance": i} for w, p, i in places)
        yield from _send(self._places_sql, places_rows)
        yield from _send(self._conversations_sql, rows)

    def _sources(self, keys: Iterable[bytes]) -> Iterator[Statement]:
        gone: list[str] = []
        rows: list[Row] = []
        for key in keys:
            value = self._value("sources", key)
            try:
                source = None if value is None else unpack(value, Source)
            except CorruptArchiveError as error:
                _log.warning("left out of the relations: %s", error)
                continue
            if source is None:
                gone.append(key.hex())
                continue
            rows.append(
                {
                    "number": source.number, "hash": key.hex(), "name": clean(source.key),
                    "generation": source.generation, "length": source.length,
                }
            )  # fmt: skip
        yield from _send(sql.GONE_SOURCES, gone)
        yield from _send(sql.SOURCES, rows)

    def _turns(
        self, blocks: Mapping[bytes, bytes | None], summaries: Mapping[int, Conversation]
    ) -> Iterator[Statement]:
        before: defaultdict[int, dict[int, bytes]] = defaultdict(dict)
        after: defaultdict[int, dict[int, bytes]] = defaultdict(dict)
        for key, old in blocks.items():
            if len(key) != _BLOCK_KEY:
                continue
            conversation, first = block_of(key)
            before[conversation].update(self._texts(key, old, first, unread=_UNREAD))
            new = self._txn.stored("turns", key)
            after[conversation].update(self._texts(key, new, first))
        turns: list[Row] = []
        parts: list[Row] = []
        gone: list[Row] = []
        for conversation in before.keys() | after.keys():
            old_texts, new_texts = before[conversation], after[conversation]
            fresh = {n: text for n, text in new_texts.items() if old_texts.get(n) != text}
            gone += [
                {"conversation": conversation, "seq": n}
                for n in old_texts
                if n in fresh or n not in new_texts
            ]
            fallback = first_moment(summaries.get(conversation))
            for seq, text in fresh.items():
                self._turn(conversation, seq, text, fallback, turns, parts)
        yield from _send(sql.GONE_TURNS, gone)
        fresh_months = {date.fromisoformat(row["month"]) for row in turns} - self.months
        yield from _send(sql.PARTITIONS, sorted(map(str, fresh_months)))
        self.months |= fresh_months
        yield from _send(self._turns_sql, turns)
        yield from _send(self._parts_sql, parts)

    def _texts(
        self, key: bytes, stored: bytes | None, first: int, *, unread: bytes = b""
    ) -> dict[int, bytes]:
        """The texts of a block's turns; where they cannot be read, `unread` for each if that is given."""
        if stored is None:
            return {}
        try:
            block = unpack(unwrap(TABLES["turns"] + key, stored), Block)
        except CorruptArchiveError as error:
            _log.warning("left out of the relations: %s", error)
            return {}
        try:
            return dict(enumerate(texts_of(self._txn, block, self._chunks), first))
        except CorruptArchiveError as error:
            if unread:
                return dict.fromkeys(range(first, first + min(block.count, BLOCK_TURNS)), unread)
            _log.warning("left out of the relations: %s", error)
            return {}

    def _turn(
        self, conversation: int, seq: int, text: bytes, fallback: float | None,
        turns: list[Row], parts: list[Row],
    ) -> None:  # fmt: skip
        try:
            turn = from_text(text, Turn)
        except CorruptArchiveError as error:
            _log.warning("left out of the relations: %s", error)
            return
        at = moment(turn.at)
        month = str(self._month(fallback if at is None else at))
        place = {"conversation": conversation, "seq": seq, "month": month}
        turns.append(
            {
                **place, "at": at, "role": str(turn.role), "vector": str(turn.vector),
                "model": clean_or_none(turn.model), "native_id": clean_or_none(turn.native_id),
                "usage": usage_of(turn),
                "parent": clean_or_none(turn.parent), "meta": record_of(turn.meta),
            }
        )  # fmt: skip
        parts += ({**place, "part": n, **part_row(part)} for n, part in enumerate(turn.parts))

    def _month(self, at: float | None) -> date:
        """The partition of a moment: what no agent can have written is at the two ends."""
        if at is None or at < _FIRST_MONTH:
            return _OLDEST
        if at > self._now + _AHEAD:
            return _LATEST
        return datetime.fromtimestamp(at, UTC).date().replace(day=1)

    def _links(self, keys: Iterable[bytes]) -> Iterator[Statement]:
        gone: list[Row] = []
        rows: list[Row] = []
        for key in keys:
            if key[:1] != b"s":
                continue
            source, conversation = number_of(key[1:9]), key[9:].decode("utf-8", "replace")
            row: Row = {"source": source, "conversation": clean(conversation)}
            (gone if self._txn.stored("links", key) is None else rows).append(row)
        yield from _send(sql.GONE_LINKS, gone)
        yield from _send(sql.LINKS, rows)

    def _notes(self, keys: Iterable[bytes]) -> Iterator[Statement]:
        gone: list[str] = []
        rows: list[Row] = []
        for key in keys:
            if not key.startswith(_MEMORIES):
                continue
            name = key[len(_MEMORIES) :]
            value = self._value("namespaces", key)
            if value is None:
                gone.append(name.hex())
            else:
                rows.append(
                    {"namespace": "memories", "key": name.hex(), "data": record_to_json(value)}
                )
        yield from _send(sql.GONE_NOTES, gone)
        yield from _send(sql.NOTES, rows)


def _send(statement: str, rows: Iterable[Row | str]) -> Iterator[Statement]:
    for document in documents(rows):
        yield statement, document


def _portions(
    blocks: Mapping[bytes, bytes | None],
) -> Iterator[dict[bytes, bytes | None]]:
    """The blocks in portions of about `_BLOCKS`; those of a conversation that changed stay together."""
    portion: dict[bytes, bytes | None] = {}
    conversation = b""
    for key in sorted(blocks):
        moved = key[:8] != conversation or not any(portion.values())
        if len(portion) >= _BLOCKS and moved:
            yield portion
            portion = {}
        portion[key], conversation = blocks[key], key[:8]
    if portion:
        yield portion
