"""What an archive is on a PostgreSQL server: its tables, its transactions, its writer's place.

Every function works on a cursor. `dejavu_records` holds keys and values; `dejavu_commits` the
number of each session's last commit, for the day its answer gets lost. The writer's place is an
advisory lock of the schema: it falls with its connection, and a restore does not move it. Every
function is a round trip or two.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple
from uuid import UUID

import psycopg

from dejavu.model import ArchiveLockedError, ConfigError

from .postgres_migrations import NEWEST, Versions, statements, versions_of
from .postgres_records import RECORDS, script
from .postgres_sql import quoted

Cursor = psycopg.Cursor[Any]

COMMITS = "dejavu_commits"
_PLACE = 0x64656A61 << 32  # above the schema's number: the name space of our advisory locks
_CREATING = _PLACE  # no schema has the number 0
_SILENCE = 60_000  # milliseconds after which the server drops a client that fell silent
# Settings are the transaction's, not the session's: a pooler gives the session to others.
# What is durable when it returns must be on the server's disk, whatever its own default.
_WRITE = """
begin isolation level read committed, read write;
set local search_path to {schema}, pg_temp;
set local dejavu.program = {program};
set local idle_in_transaction_session_timeout = {silence};
set local lock_timeout = {patience};
select set_config('synchronous_commit', 'on', true)
 where current_setting('synchronous_commit') = 'off';
select pg_advisory_xact_lock({place})
"""
_CREATE = """
begin;
select pg_advisory_xact_lock({place});
set local search_path to {schema}, pg_temp;
{statements}
commit
"""
_FIND = f"""
select n.oid::bigint, n.nspname::text, obj_description(c.oid, 'pg_class'),
       pg_has_role(c.relowner, 'USAGE'), has_table_privilege(c.oid, 'insert') and not pg_is_in_recovery(),
       2 = (select count(*) from pg_attribute
             where attrelid = c.oid and attname in ('key', 'value') and not attisdropped)
  from pg_class c join pg_namespace n on n.oid = c.relnamespace,
       lateral (select coalesce(%b::text[]::name[], current_schemas(false)) as names) as path
 where c.relname = '{RECORDS}' and n.nspname = any(path.names)
 order by array_position(path.names, n.nspname) limit 1
"""
_NOTE = (
    f"insert into {COMMITS} (session, number) values (%b, %b) "
    "on conflict (session) do update set number = excluded.number, at = now()"
)
_HOLDER = (
    "select application_name from pg_locks join pg_stat_activity using (pid) "
    "where locktype = 'advisory' and granted "
    "and (classid::bigint << 32 | objid::bigint) = %b and database = "
    "(select oid from pg_database where datname = current_database())"
)


class Place(NamedTuple):
    """Where an archive is: its schema's number and name, who can read it, whose it is.

    `writable`: whether this role may add to it at all; false on a standby.
    """

    number: int
    schema: str
    versions: Versions
    owned: bool
    writable: bool

    @property
    def reached(self) -> int:
        """How far it was migrated."""
        return self.versions.reached

    @property
    def quoted(self) -> str:
        """The schema as an identifier."""
        return quoted(self.schema)


def find(cursor: Cursor, name: str, path: Sequence[str] = ()) -> Place | None:
    """The schema that holds the archive, of those of `path`; None if there is none.

    Raises:
        ConfigError: a table of our name holds other things; `name` is what the words call it.
    """
    row = cursor.execute(_FIND, (list(path) or None,)).fetchone()
    if row is None:
        return None
    number, schema, comment, owned, writable, ours = row
    if not ours:
        raise ConfigError(
            f"{name} has a table {RECORDS} that is no archive; name another database or schema "
            "(?options=-csearch_path%3DNAME)"
        )
    return Place(number, schema, versions_of(comment), owned, writable)


def create(cursor: Cursor, path: Sequence[str] = ()) -> None:
    """Make the tables of the store, unless another did so meanwhile."""
    if path:
        schema = quoted(path[0])
    else:
        row = cursor.execute("select quote_ident(current_schema())").fetchone()
        schema = "public" if row is None or row[0] is None else str(row[0])
    first = statements("0001_records.sql")
    script(cursor, _CREATE.format(place=_CREATING, schema=schema, statements=first))


def begin(cursor: Cursor, place: Place) -> None:
    """Begin a transaction in the archive's schema, without the writer's place."""
    script(cursor, f"begin; set local search_path to {place.quoted}, pg_temp")


def opening(place: Place) -> tuple[str, ...]:
    """The statements that begin a snapshot."""
    return (
        "begin isolation level repeatable read, read only",
        f"set local search_path to {place.quoted}, pg_temp",
        f"set local idle_in_transaction_session_timeout = {_SILENCE}",
        "set local jit = off",  # these are look-ups: compiling one takes longer
    )


def begin_writing(cursor: Cursor, place: Place, patience: float, name: str) -> None:
    """Begin a change, and wait for the writer's place.

    Raises:
        ArchiveLockedError: others kept it for `patience` seconds; the words name the holder.
    """
    lock_key = _PLACE | place.number
    begin = _WRITE.format(
        silence=_SILENCE, patience=int(patience * 1_000), place=lock_key, schema=place.quoted,
        program=NEWEST,
    )  # fmt: skip
    try:
        script(cursor, begin)
    except psycopg.errors.LockNotAvailable as error:
        script(cursor, "rollback")
        row = cursor.execute(_HOLDER, (lock_key,)).fetchone()
        holder = str(row[0]) if row and row[0] else "another session"
        raise ArchiveLockedError(
            f"the archive {name} is being written by {holder}; waited {patience:g} s: try again"
        ) from error


def note(cursor: Cursor, session: UUID, number: int) -> None:
    """Note, within a change, which of a session's it is."""
    cursor.execute(_NOTE, (session, number))


def noted(cursor: Cursor, session: UUID, number: int) -> bool:
    """Whether that change was committed; the caller holds the writer's place."""
    query = f"select number from {COMMITS} where session = %b"
    row = cursor.execute(query, (session,)).fetchone()
    return row is not None and row[0] == number


def forget(cursor: Cursor, place: Place, session: UUID) -> None:
    """Take away the note of a session that is over."""
    cursor.execute(f"select {place.quoted}.dejavu_forget_commits(%b)".encode(), (session,))


def forget_dead(cursor: Cursor, place: Place) -> int:
    """Delete the notes of sessions that no one can still be waiting for; return how many."""
    row = cursor.execute(f"select {place.quoted}.dejavu_forget_commits(null)".encode()).fetchone()
    return 0 if row is None else int(row[0])
