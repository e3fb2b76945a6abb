"""The relations made from the records: conversations, turns, parts, sources, links, memories.

A writer says which records it touched; `Relations.write` brings the relations to what they say, in the same
transaction and in one round trip, whatever touched them: a commit, a prune, a repair, a restore.
Turns are compared with what their blocks held before, so that appending one sends one.

What cannot be read (a damaged block) is left out with a line in the log: it must not keep a commit
from being durable.
Costs O(blocks touched + their raw), as the commit itself.
"""

import logging
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, date, datetime
from typing import Any

import msgspec
import psycopg

from dejavu.archive.backends.transaction import Reader, unwrap
from dejavu.archive.keys import TABLES, block_key, block_of, number_of
from dejavu.archive.raw import Chunks
from dejavu.archive.records import Block, Source, SummaryRecord, from_text, unpack
from dejavu.archive.turns import texts_of
from dejavu.model import Conversation, CorruptArchiveError, Turn

from .postgres_rows import (
    Row,
    clean,
    clean_or_none,
    conversation_row,
    documents,
    first_moment,
    moment,
    part_row,
    record_to_json,
)

_log = logging.getLogger(__name__)

_BLOCK_KEY = len(block_key(0, 0))
_BLOCKS = 64  # blocks whose turns are in memory at once
_LETTERS = {TABLES[name]: name for name in ("summaries", "turns", "sources", "links", "namespaces")}
_MEMORIES = b"memories\0"
_OLDEST, _LATEST = date(2000, 1, 1), date(2100, 1, 1)
_FIRST_MONTH = datetime(2020, 1, 1, tzinfo=UTC).timestamp()
_AHEAD = 62 * 86_400.0

# A separate statement: row-level security judges the rows of the next one by the workspaces that were
# there when it began.
_PLACES = """
select dejavu_workspace(workspace), dejavu_instance(instance, current_user)
from json_to_recordset(%t::json) as t (workspace text, instance text)
"""
_CONVERSATIONS = """
insert into dejavu_conversations (number, id, workspace, instance, agent, native_id, title, prompt,
  started_at, ended_at, captured_at, first_seq, turn_count, vectors, parent, relation, source,
  agent_version)
select number, id, dejavu_workspace(workspace), dejavu_instance(instance, current_user), agent,
  native_id, title, prompt, to_timestamp(started_at), to_timestamp(ended_at),
  to_timestamp(captured_at), first_seq, turn_count,
  array(select json_array_elements_text(vectors)), parent, relation, source, agent_version
from json_to_recordset(%t::json) as t (number bigint, id text, workspace text, instance text,
  agent text, native_id text, title text, prompt text, started_at float8, ended_at float8,
  captured_at float8, first_seq int, turn_count int, vectors json, parent text, relation text,
  source text, agent_version text)
on conflict (id) do update set (number, workspace, instance, agent, native_id, title, prompt,
  started_at, ended_at, captured_at, first_seq, turn_count, vectors, parent, relation, source,
  agent_version) = (excluded.number, excluded.workspace, excluded.instance, excluded.agent,
  excluded.native_id, excluded.title, excluded.prompt, excluded.started_at, excluded.ended_at,
  excluded.captured_at, excluded.first_seq, excluded.turn_count, excluded.vectors,
  excluded.parent, excluded.relation, excluded.source, excluded.agent_version)
"""
_TURNS = """
insert into dejavu_turns (conversation, seq, month, workspace, at, role, vector, model, usage,
  native_id, parent)
select t.conversation, t.seq, t.month, c.workspace, to_timestamp(t.at), t.role, t.vector, t.model,
  t.usage::jsonb, t.native_id, t.parent
from json_to_recordset(%t::json) as t (conversation bigint, seq int, month date, at float8,
  role text, vector text, model text, usage json, native_id text, parent text)
join dejavu_conversations c on c.number = t.conversation
on conflict do nothing
"""
_PARTS = """
insert into dejavu_parts (conversation, seq, part, month, workspace, type, name, call, content,
  length)
select t.conversation, t.seq, t.part, t.month, c.workspace, t.type, t.name, t.call, t.content,
  t.length
from json_to_recordset(%t::json) as t (conversation bigint, seq int, part int, month date,
  type text, name text, call text, content text, length int)
join dejavu_conversations c on c.number = t.conversation
on conflict do nothing
"""
_SOURCES = """
insert into dejavu_sources (number, hash, name, generation, length)
select number, decode(hash, 'hex'), name, generation, length
from json_to_recordset(%t::json) as t (number bigint, hash text, name text, generation int,
  length bigint)
on conflict (number) do update set (hash, name, generation, length)
  = (excluded.hash, excluded.name, excluded.generation, excluded.length)
"""
_LINKS = """
insert into dejavu_links (source, conversation)
select source, conversation
from json_to_recordset(%t::json) as t (source bigint, conversation text)
on conflict do nothing
"""
_NOTES = """
insert into dejavu_notes (namespace, key, data)
select namespace, decode(key, 'hex'), data::jsonb
from json_to_recordset(%t::json) as t (namespace text, key text, data json)
on conflict (namespace, key) do update set data = excluded.data
"""
_DELETE_TURNS = "select dejavu_delete_turns(%b::bigint[], %b::int[])"


class Relations:
    """The relations of one archive, being brought up to one transaction's records."""

    def __init__(
        self,
        txn: Reader,
        cursor: "psycopg.Cursor[Any]",
        months: set[date],
        now: float | None = None,
    ) -> None:
        """Write through `cursor`; `months` are partitions known to be there."""
        self._txn = txn
        self._cursor = cursor
        self._months = months
        self._now = time.time() if now is None else now
        self._chunks = Chunks()

    def write(self, touched: Mapping[bytes, bytes | None]) -> None:
        """Bring the relations to what the records at `touched` say now.

        Values are what was stored there before, None where that was nothing or is not known.
        """
        by_table: defaultdict[str, dict[bytes, bytes | None]] = defaultdict(dict)
        for whole, before in touched.items():
            table = _LETTERS.get(whole[:1])
            if table is not None:
                by_table[table][whole[1:]] = before
        summaries = self._conversations(by_table["summaries"])
        self._sources(by_table["sources"])
        for blocks in _portions(by_table["turns"]):
            self._turns(blocks, summaries)
        self._links(by_table["links"])
        self._notes(by_table["namespaces"])

    def _value(self, table: str, key: bytes) -> bytes | None:
        try:
            return self._txn.get(table, key)
        except CorruptArchiveError as error:
            _log.warning("left out of the relations: %s", error)
            return None

    def _conversations(self, keys: Iterable[bytes]) -> dict[int, Conversation]:
        gone: list[str] = []
        rows: list[Row] = []
        summaries: dict[int, Conversation] = {}
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
        if gone:
            self._cursor.execute("delete from dejavu_conversations where id = any(%b)", (gone,))
        places = {(row["workspace"], row["instance"]) for row in rows}
        self._send(_PLACES, ({"workspace": w, "instance": i} for w, i in sorted(places)))
        self._send(_CONVERSATIONS, rows)
        return summaries

    def _sources(self, keys: Iterable[bytes]) -> None:
        gone: list[bytes] = []
        rows: list[Row] = []
        for key in keys:
            value = self._value("sources", key)
            try:
                source = None if value is None else unpack(value, Source)
            except CorruptArchiveError as error:
                _log.warning("left out of the relations: %s", error)
                continue
            if source is None:
                gone.append(key)
                continue
            rows.append(
                {
                    "number": source.number, "hash": key.hex(), "name": clean(source.key),
                    "generation": source.generation, "length": source.length,
                }
            )  # fmt: skip
        if gone:
            self._cursor.execute("delete from dejavu_sources where hash = any(%b)", (gone,))
        self._send(_SOURCES, rows)

    def _turns(
        self, blocks: Mapping[bytes, bytes | None], summaries: Mapping[int, Conversation]
    ) -> None:
        before: defaultdict[int, dict[int, bytes]] = defaultdict(dict)
        after: defaultdict[int, dict[int, bytes]] = defaultdict(dict)
        for key, old in blocks.items():
            if len(key) != _BLOCK_KEY:
                continue
            conversation, first = block_of(key)
            before[conversation].update(self._texts(key, old, first))
            new = self._txn.stored("turns", key)
            after[conversation].update(self._texts(key, new, first))
        turns: list[Row] = []
        parts: list[Row] = []
        gone: list[tuple[int, int]] = []
        for conversation in before.keys() | after.keys():
            old_texts, new_texts = before[conversation], after[conversation]
            fresh = {n: text for n, text in new_texts.items() if old_texts.get(n) != text}
            gone += [(conversation, n) for n in old_texts if n in fresh or n not in new_texts]
            fallback = first_moment(summaries.get(conversation))
            for seq, text in fresh.items():
                self._turn(conversation, seq, text, fallback, turns, parts)
        if gone:
            columns = [number for number, _ in gone], [seq for _, seq in gone]
            self._cursor.execute(_DELETE_TURNS, columns)
        for month in {row["month"] for row in turns} - {str(month) for month in self._months}:
            self._cursor.execute("select dejavu_partition(%t::date)", (month,))
            self._months.add(date.fromisoformat(month))
        self._send(_TURNS, turns)
        self._send(_PARTS, parts)

    def _texts(self, key: bytes, stored: bytes | None, first: int) -> dict[int, bytes]:
        if stored is None:
            return {}
        try:
            block = unpack(unwrap(TABLES["turns"] + key, stored), Block)
            return dict(enumerate(texts_of(self._txn, block, self._chunks), first))
        except CorruptArchiveError as error:
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
                "usage": None if turn.usage is None else msgspec.to_builtins(turn.usage),
                "parent": clean_or_none(turn.parent),
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

    def _links(self, keys: Iterable[bytes]) -> None:
        gone: list[tuple[int, str]] = []
        rows: list[Row] = []
        for key in keys:
            if key[:1] != b"s":
                continue
            source, conversation = number_of(key[1:9]), key[9:].decode("utf-8", "replace")
            if self._txn.stored("links", key) is None:
                gone.append((source, clean(conversation)))
            else:
                rows.append({"source": source, "conversation": clean(conversation)})
        if gone:
            self._cursor.execute(
                "delete from dejavu_links l using unnest(%b::bigint[], %b::text[]) as gone (s, c) "
                "where l.source = gone.s and l.conversation = gone.c",
                ([source for source, _ in gone], [name for _, name in gone]),
            )
        self._send(_LINKS, rows)

    def _notes(self, keys: Iterable[bytes]) -> None:
        gone: list[bytes] = []
        rows: list[Row] = []
        for key in keys:
            if not key.startswith(_MEMORIES):
                continue
            name = key[len(_MEMORIES) :]
            value = self._value("namespaces", key)
            if value is None:
                gone.append(name)
            else:
                rows.append(
                    {"namespace": "memories", "key": name.hex(), "data": record_to_json(value)}
                )
        if gone:
            self._cursor.execute("select dejavu_delete_notes(%b::bytea[])", (gone,))
        self._send(_NOTES, rows)

    def _send(self, statement: str, rows: Iterable[Row]) -> None:
        for document in documents(rows):
            self._cursor.execute(statement.encode(), (document,))


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
