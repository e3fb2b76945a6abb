"""An archive's tables as storage: their size, their free space, and a copy in LMDB.

Tested in: tests/extensions/teams/test_postgres_backend.py
"""

from functools import partial
from pathlib import Path
from typing import Any

import psycopg

from dejavu.archive.backends import pages
from dejavu.archive.backends.lmdb_backend import open_backend
from dejavu.archive.backends.transaction import Reader

from .postgres_records import RECORDS, RELATIONS
from .postgres_schema import Place

Cursor = psycopg.Cursor[Any]

_SIZE = """
select coalesce(sum(pg_total_relation_size(oid)), 0)::bigint from pg_class
 where relnamespace = %b::bigint::oid and relkind = 'r' and relname like 'dejavu\\_%%'
   and relname not like 'dejavu\\_records\\_replaced%%'
"""


def table_bytes(cursor: Cursor, place: Place) -> int:
    """Return the bytes of the tables on the server, their indexes and free space included."""
    row = cursor.execute(_SIZE, (place.number,)).fetchone()
    return 0 if row is None else int(row[0])


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
    finally:
        fresh.close()
