"""An archive's tables on a server: found, made where that is allowed, and brought to the newest schema.

Tested in: tests/extensions/teams/test_postgres_versions.py
"""

from collections.abc import Iterator
from typing import Any

import psycopg

from dejavu.archive.backends.transaction import Reader
from dejavu.archive.keys import TABLES, number_key
from dejavu.model import ArchiveError, NotFoundError

from . import postgres_migrations as migrations
from . import postgres_schema as schema
from .postgres_connection import ConnectionLostError, Connections
from .postgres_reader import PostgresReader
from .postgres_records import script
from .postgres_relations import Relations

Cursor = psycopg.Cursor[Any]

_WITHOUT_TURNS = """
select number, id from dejavu_conversations c
 where turn_count > 0 and not exists (select from dejavu_turns t where t.conversation = c.number)
"""


def find_archive(connections: Connections, *, create: bool, patience: float) -> schema.Place:
    """Return where the archive is, made if it may be; one that is there is left as it is.

    patience: seconds to wait for others that make it.

    Raises:
        NotFoundError: there is none, and `create` is false.
        ArchiveError: a newer program made it, or the server refused.
    """
    with connections.cursor() as cursor:
        place = schema.find(cursor, connections.name, connections.path)
        if place is None and create:
            schema.create(cursor, connections.path)
            place = schema.find(cursor, connections.name, connections.path)
        if place is None:
            raise NotFoundError(
                f"there is no archive in {connections.name}; `dejavu sync` makes one"
            )
        migrations.refuse_newer(connections.name, place.versions)
        if place.owned and place.reached == migrations.EMPTY:  # being made, also by another
            place = migrate(cursor, connections.name, place, patience)
        return place


def upgrade(connections: Connections, place: schema.Place, patience: float) -> schema.Place:
    """Bring the archive to this program's schema; again it changes nothing.

    Raises:
        ArchiveError: this role does not own the tables, or the server refused.
        ArchiveLockedError: others wrote for all of `patience` seconds.
    """
    if place.reached >= migrations.NEWEST:
        return place
    if not place.owned:
        raise ArchiveError(f"only the keeper of the archive {connections.name} may upgrade it")
    try:
        with connections.cursor() as cursor:
            return migrate(cursor, connections.name, place, patience)
    except ConnectionLostError as lost:
        raise connections.unreachable(lost) from lost


def migrate(cursor: Cursor, name: str, found: schema.Place, patience: float) -> schema.Place:
    """Take the missing steps, in one transaction, unless another did so while we waited.

    Raises:
        ArchiveLockedError: others wrote for all of `patience` seconds.
    """
    schema.begin_writing(cursor, found, patience, name)
    place = schema.find(cursor, name, [found.schema]) or found
    script(cursor, "set local lock_timeout = 0")
    if place.reached < migrations.NEWEST:
        fill = migrations.migrate(cursor, place.schema, place.reached)
        txn = PostgresReader(cursor)
        touched = _everything(txn) if fill else _without_turns(cursor, txn)
        Relations(txn, migrations.NEWEST).write(cursor, dict.fromkeys(touched))
    script(cursor, "commit")
    return schema.find(cursor, name, [found.schema]) or place


def _everything(txn: Reader) -> Iterator[bytes]:
    """The whole keys of all records that the relations are made from."""
    for table in ("summaries", "sources", "turns", "links", "namespaces"):
        yield from (TABLES[table] + key for key in txn.keys(table))


def _without_turns(cursor: Cursor, txn: Reader) -> Iterator[bytes]:
    """The whole keys of conversations whose turns a step took out of the relations."""
    for number, name in cursor.execute(_WITHOUT_TURNS).fetchall():
        yield TABLES["summaries"] + name.encode()
        yield from (TABLES["turns"] + key for key in txn.keys("turns", number_key(number)))
