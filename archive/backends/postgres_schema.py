"""What an archive is on a PostgreSQL server: its tables, its transactions, its writer's place.

Every function works on a cursor. `dejavu_records` holds keys and values; `dejavu_commits` the
number of each session's last commit, for the day its answer gets lost. The writer's place is an
advisory lock of the schema: it falls with its connection, and a restore does not move it. Every
function is a round trip or two.
"""

from typing import Any
from uuid import UUID

import psycopg

from dejavu.model import ArchiveLockedError, ConfigError

from .postgres_transaction import CREATE, RECORDS, script

Cursor = psycopg.Cursor[Any]

COMMITS = "dejavu_commits"
_PLACE = 0x64656A61 << 32  # above the schema's number: the name space of our advisory locks
_CREATING = _PLACE  # no schema has the number 0
_SILENCE = 60_000  # milliseconds after which the server drops a client that fell silent
_READ = f"""
begin isolation level repeatable read, read only;
set local idle_in_transaction_session_timeout = {_SILENCE}
"""
# What is durable when it returns must be on the server's disk, whatever its own default.
_WRITE = """
begin isolation level read committed, read write;
set local idle_in_transaction_session_timeout = {silence};
set local lock_timeout = {patience};
select set_config('synchronous_commit', 'on', true)
 where current_setting('synchronous_commit') = 'off';
select pg_advisory_xact_lock({place})
"""
_CREATE = f"""
begin;
select pg_advisory_xact_lock({_CREATING});
{CREATE}
create table if not exists {COMMITS} (
  session uuid primary key, number bigint not null, at timestamptz not null default now()
);
commit
"""
_NOTE = (
    f"insert into {COMMITS} (session, number) values (%b, %b) "  # noqa: S608 - a name of ours
    "on conflict (session) do update set number = excluded.number, at = now()"
)
_HOLDER = (
    "select application_name from pg_locks join pg_stat_activity using (pid) "
    "where locktype = 'advisory' and granted "
    "and (classid::bigint << 32 | objid::bigint) = %b and database = "
    "(select oid from pg_database where datname = current_database())"
)


def find(cursor: Cursor, name: str) -> int | None:
    """The number of the schema that holds the archive; None if there is none.

    Raises:
        ConfigError: a table of our name holds other things; `name` is what the words call it.
    """
    query = f"select relnamespace::bigint from pg_class where oid = to_regclass('{RECORDS}')"  # noqa: S608
    row = cursor.execute(query).fetchone()
    if row is None:
        return None
    try:
        cursor.execute(f"select key, value from {RECORDS} limit 0")  # noqa: S608
    except psycopg.errors.UndefinedColumn as error:
        raise ConfigError(
            f"{name} has a table {RECORDS} that is no archive; name another database or schema "
            "(?options=-csearch_path%3DNAME)"
        ) from error
    return int(row[0])


def create(cursor: Cursor) -> None:
    """Make the tables, unless another did so meanwhile."""
    script(cursor, _CREATE)


def begin_reading(cursor: Cursor) -> None:
    """Begin a snapshot."""
    script(cursor, _READ)


def begin_writing(cursor: Cursor, schema: int, patience: float, name: str) -> None:
    """Begin a change, and wait for the writer's place.

    Raises:
        ArchiveLockedError: others kept it for `patience` seconds; the words name the holder.
    """
    lock_key = _PLACE | schema
    begin = _WRITE.format(silence=_SILENCE, patience=int(patience * 1_000), place=lock_key)
    try:
        script(cursor, begin)
    except psycopg.errors.LockNotAvailable as error:
        script(cursor, "rollback")
        row = cursor.execute(_HOLDER, (lock_key,)).fetchone()
        holder = str(row[0]) if row and row[0] else "another session"
        raise ArchiveLockedError(
            f"the archive {name} is being written by {holder}; "
            f"waited {patience:g} s: try again, or end that process"
        ) from error


def note(cursor: Cursor, session: UUID, number: int) -> None:
    """Note, within a change, which of a session's it is."""
    cursor.execute(_NOTE, (session, number), prepare=True)


def noted(cursor: Cursor, session: UUID, number: int) -> bool:
    """Whether that change was committed; the caller holds the writer's place."""
    query = f"select number from {COMMITS} where session = %b"  # noqa: S608
    row = cursor.execute(query, (session,)).fetchone()
    return row is not None and row[0] == number


def forget(cursor: Cursor, session: UUID) -> None:
    """Take away the note of a session that is over."""
    cursor.execute(f"delete from {COMMITS} where session = %b", (session,))  # noqa: S608


def forget_dead(cursor: Cursor) -> int:
    """Delete the notes of sessions nobody can still be waiting for; return how many."""
    cursor.execute(f"delete from {COMMITS} where at < now() - interval '1 day'")  # noqa: S608
    return cursor.rowcount
