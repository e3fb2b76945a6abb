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
_SETTINGS = b"""
select set_config('search_path', %t, true), set_config('dejavu.program', %t, true),
       set_config('idle_in_transaction_session_timeout', %t, true),
       set_config('lock_timeout', %t, true), set_config('synchronous_commit', 'off', true)
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
             where attrelid = c.oid and attname in ('key', 'value') and not attisdropped),
       to_regproc(quote_ident(n.nspname) || '.dejavu_recall_near') is not null
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

    `writable`: whether this role may add to it at all; false on a standby. `meanings`: whether the
    server compares them (`sql/vectors.sql`).
    """

    number: int
    schema: str
    versions: Versions
    owned: bool
    writable: bool
    meanings: bool = False

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
    number, schema, comment, owned, writable, ours, meanings = row
    if not ours:
        raise ConfigError(
            f"{name} has a table {RECORDS} that is no archive; name another database or schema "
            "(?options=-csearch_path%3DNAME)"
        )
    return Place(number, schema, versions_of(comment), owned, writable, meanings)


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
    begin = _WRITE.format(
        silence=_SILENCE, patience=int(patience * 1_000), place=lock_key(place), schema=place.quoted,
        program=NEWEST,
    )  # fmt: skip
    try:
        script(cursor, begin)
    except psycopg.errors.LockNotAvailable as error:
        raise place_is_taken(cursor, place, patience, name) from error


def lock_key(place: Place) -> int:
    """The number of the writer's place, an advisory lock."""
    return _PLACE | place.number


def settings(place: Place, patience: float) -> tuple[bytes, tuple[str, ...]]:
    """The statement that sets what `begin_writing` sets, in a transaction, and its values.

    With one difference: its commit does not wait for the disk. `make_durable` does, after the lock is released.
    """
    values = place.quoted + ", pg_temp", str(NEWEST), str(_SILENCE), str(int(patience * 1_000))
    return _SETTINGS, values


def place_is_taken(cursor: Cursor, place: Place, patience: float, name: str) -> ArchiveLockedError:
    """The error that names who has the writer's place; ends the transaction."""
    script(cursor, "rollback")
    row = cursor.execute(_HOLDER, (lock_key(place),)).fetchone()
    holder = str(row[0]) if row and row[0] else "another session"
    return ArchiveLockedError(
        f"the archive {name} is being written by {holder}; waited {patience:g} s: try again"
    )


def make_durable(cursor: Cursor, place: Place, session: UUID) -> None:
    """Wait until all that this session committed is on the server's disk, in a transaction that writes.

    For a pipeline. Disks and standbys have commits in their order, so the last one is waited for.
    """
    connection = cursor.connection
    connection.execute(b"begin isolation level read committed, read write")
    connection.execute(
        b"select set_config('synchronous_commit', "
        b"replace(current_setting('synchronous_commit'), 'off', 'on'), true)"
    )
    connection.execute(
        f"update {place.quoted}.{COMMITS} set at = now() where session = %b".encode(), (session,)
    )
    connection.execute(b"commit")


def note(cursor: Cursor, session: UUID, number: int) -> None:
    """Note, within a change, which of a session's it is."""
    cursor.execute(_NOTE, (session, number))


def noted(cursor: Cursor, session: UUID, number: int, *, moves: bool = False) -> int | None:
    """How far the log's numbers of that change moved, None where it was not committed.

    The caller holds the writer's place. `moves`: the schema notes it (`postgres_writing.WITH_COMMIT`).
    """
    query = f"select number, {'moved' if moves else '0::bigint'} from {COMMITS} where session = %b"
    row = cursor.execute(query.encode(), (session,)).fetchone()
    return int(row[1]) if row is not None and row[0] == number else None


def forget(cursor: Cursor, place: Place, session: UUID) -> None:
    """Take away the note of a session that is over."""
    cursor.execute(f"select {place.quoted}.dejavu_forget_commits(%b)".encode(), (session,))


def forget_dead(cursor: Cursor, place: Place) -> int:
    """Delete the notes of sessions that no one can still be waiting for; return how many."""
    row = cursor.execute(f"select {place.quoted}.dejavu_forget_commits(null)".encode()).fetchone()
    return 0 if row is None else int(row[0])
