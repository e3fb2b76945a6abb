"""An archive's tables as storage: what they hold, their size, their free space, and a copy in LMDB.

Tested in: tests/extensions/teams/test_postgres_backend.py
"""

import json
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

import psycopg

from dejavu.archive.backends import pages
from dejavu.archive.backends.lmdb_backend import open_backend
from dejavu.archive.backends.transaction import Reader
from dejavu.archive.counts import Counts, count
from dejavu.archive.keys import META
from dejavu.archive.log import load_meta
from dejavu.archive.maintenance.verify import complete

from .postgres_reader import PostgresReader
from .postgres_records import RECORDS, RELATIONS
from .postgres_rows import clean
from .postgres_schema import Place

Cursor = psycopg.Cursor[Any]

WITH_NOTES = 15
"""The schema from which on the audit says what was done to the archive as a whole."""
_SIZE = """
select coalesce(sum(pg_total_relation_size(oid)), 0)::bigint from pg_class
 where relnamespace = %b::bigint::oid and relkind = 'r' and relname like 'dejavu\\_%%'
   and relname not like 'dejavu\\_records\\_replaced%%'
"""
_COUNTS = f"""
with held as materialized (
  select c.agent, w.name, coalesce(dejavu_project_of(r.value), w.name) as project
    from dejavu_conversations c join dejavu_workspaces w on w.id = c.workspace
    left join {RECORDS} r on r.key = '\\x48'::bytea || convert_to(c.id, 'UTF8'))
select (select json_object_agg(agent, n) from (select agent, count(*) as n from held group by 1) x)::text,
       (select json_object_agg(name, n) from (select name, count(*) as n from held group by 1) x)::text,
       (select json_object_agg(project, n) from (select project, count(*) as n from held group by 1) x)::text,
       (select count(*) from dejavu_sources), ({_SIZE})
"""


def table_bytes(cursor: Cursor, place: Place) -> int:
    """Return the bytes of the tables on the server, their indexes and free space included."""
    row = cursor.execute(_SIZE, (place.number,)).fetchone()
    return 0 if row is None else int(row[0])


def counts(reader: Reader, *, place: Place) -> Counts:
    """Return what an archive of schema 12 holds, as far as this login may read it. One statement."""
    if not isinstance(reader, PostgresReader):
        return count(reader, 0)
    reader.expect("meta", [META])
    [(*named, sources, size)] = reader.rows(_COUNTS, (place.number,))
    meta = load_meta(reader)
    by_agent, by_workspace, by_project = map(_most_common, named)
    return Counts(
        conversations=sum(by_agent.values()),
        turns=0 if meta is None else meta.turns,
        sources=sources,
        raw_bytes=0 if meta is None else meta.raw_bytes,
        stored_bytes=size,
        log_entries=0 if meta is None else meta.sequence,  # none is ever missing
        by_agent=by_agent,
        by_workspace=by_workspace,
        by_project=by_project,
    )


def note_work(cursor: Cursor, place: Place, line: tuple[str, str, Mapping[str, int | str]]) -> None:
    """Add a line to the audit: what was done, to what, and how much. Needs a schema `WITH_NOTES`."""
    action, name, detail = line
    statement = f"select {place.quoted}.dejavu_note_work(%t, %t, %t::jsonb)"
    cursor.execute(statement.encode(), (action, clean(name), json.dumps(detail)))


def _most_common(text: str | None) -> dict[str, int]:
    """The names in a JSON object of counts, the most frequent first."""
    named: dict[str, int] = json.loads(text or "{}")
    return dict(sorted(named.items(), key=lambda pair: -pair[1]))


def compact(cursor: Cursor, place: Place) -> None:
    """Write the tables again without removed rows. Needs as much space as they take."""
    names = ", ".join(f"{place.quoted}.{table}" for table in (RECORDS, *RELATIONS))
    cursor.execute(f"vacuum (full, analyze) {names}".encode())


def copy_records(txn: Reader, target: Path) -> None:
    """Write every record of `txn` into an LMDB store in the folder `target`, emptied before."""
    for path in target.iterdir():  # left by an attempt whose connection broke
        path.unlink()
    fresh = open_backend(target, readonly=False)
    try:
        for page in pages.pages(txn):
            fresh.write(partial(pages.put, page=page))
        if txn.partial:
            fresh.write(complete)
    finally:
        fresh.close()
