"""Rights in a PostgreSQL archive: the SQL of `dejavu team`, and running it.

The server itself keeps the rights: `sql/rights.sql` turns row-level security on, and triggers refuse
what a member may not do, through this program or through psql. What is sent to the server here is
returned as it was run. Every function is one transaction of a round trip or two.

Tested in: tests/extensions/teams/test_postgres_attacks.py
"""

import re
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any, NamedTuple

import psycopg

from dejavu.model import ArchiveError, InvalidValueError, NotFoundError

from . import postgres_migrations as migrations
from . import postgres_schema as schema
from .postgres_backend import open_server
from .postgres_connection import ConnectionLostError, Connections
from .postgres_indexes import build_trigrams
from .postgres_migrations import RANKS
from .postgres_records import script
from .postgres_retention import Due, Hold, Retention, due, holds, retentions
from .postgres_sql import literal, quoted

Cursor = psycopg.Cursor[Any]

_ROLE = re.compile(r"[^\0]{1,63}")


class Member(NamedTuple):
    """A right: of a role, in a workspace (None: in all that are not private)."""

    role: str
    right: str
    workspace: str | None


class Extension(NamedTuple):
    """One of those a team may ask for; `installed` in this database in that version, or None."""

    name: str
    installed: str | None
    available: str


class Status(NamedTuple):
    """What a team's archive is. `rights` tells whether `team init` was run.

    `trigrams`: whether exact search has its index. `meanings`: whether the server compares vectors. `closed`:
    whether new projects are private.
    """

    server: str
    schema: str
    reached: int
    views: str | None
    rights: bool
    members: tuple[Member, ...]
    private: tuple[str, ...]
    instances: tuple[tuple[str, str | None], ...]
    extensions: tuple[Extension, ...]
    holds: tuple[Hold, ...]
    retention: tuple[Retention, ...]
    trigrams: bool
    closed: bool
    meanings: bool


class AuditLine(NamedTuple):
    """One line of the audit, as the server wrote it."""

    at: str
    login: str
    action: str
    object: str
    workspace: str | None
    detail: Any


class Team:
    """The rights of the archive behind a URL."""

    def __init__(self, url: str) -> None:
        """Find it.

        Raises:
            NotFoundError: there is none.
            ArchiveError: out of reach, or of an older schema (`upgrade`).
        """
        backend = open_server(url, create=False)
        try:
            self._place = backend.place
        finally:
            backend.close()
        self._connections = Connections(url)
        if self._place.reached < migrations.OLDEST_WRITTEN:
            raise migrations.outdated(self._connections.name)

    def close(self) -> None:
        """Let go of the connections."""
        self._connections.drop()

    def init_statements(self, closed: bool | None = None) -> str:
        """What `init` runs."""
        decided = "" if closed is None else f"select dejavu_set_closed({str(closed).lower()});\n"
        return migrations.rights_statements(self._place.schema) + decided

    def init(self, closed: bool | None = None) -> str:
        """Turn rights on; again it changes nothing.

        closed: whether projects that come from now on are private; None leaves that as it is.

        Raises:
            ArchiveError: this role may not make roles, or does not own the tables.
        """
        if not self._place.owned:
            raise ArchiveError(
                f"only the keeper of the archive {self._connections.name} may do that"
            )
        if self._place.reached < migrations.NEWEST:
            raise migrations.outdated(self._connections.name)
        statements = self.init_statements(closed)
        with self._transaction() as cursor:
            if not migrations.make_views(cursor, self._place.schema):
                raise ArchiveError(
                    "a schema for the views is missing, and this role may not make it; let the "
                    "database's owner run `create schema "
                    f"{quoted(migrations.views_schema(self._place.schema))} authorization ...`"
                )
            script(cursor, statements)
        return statements + build_trigrams(self._connections, quoted(self._place.schema))

    def invite(self, role: str, right: str, workspace: str | None, instance: str | None) -> str:
        """Make a login where there is none, give it a right, and its machines; return the SQL.

        Without `instance` all machines are its own that are called `ROLE@...` and no one's yet.
        """
        with self._transaction() as cursor:
            row = cursor.execute("select to_regrole(%t) is null", (quoted(role),)).fetchone()
            made = f"create role {quoted(role)} login;\n" if row and row[0] else ""
            if made and not _may_make_roles(cursor):
                raise ArchiveError(
                    f"this login may not make logins: let the keeper invite {role}, or the server's "
                    f"administrator make it; then `dejavu team grant {role} {right}` gives the right"
                )
            statements = made + self._grant(role, right, workspace)
            names = [instance] if instance else _machines(cursor, role)
            for name in names:
                statements += f"select dejavu_give_instance({literal(name)}, {literal(role)});\n"
            self._run(cursor, statements)
        return statements

    def grant(self, role: str, right: str, workspace: str | None) -> str:
        """Give a right, or take it with `none`; return the SQL."""
        statements = self._grant(role, right, workspace)
        with self._transaction() as cursor:
            self._run(cursor, statements)
        return statements

    def _grant(self, role: str, right: str, workspace: str | None) -> str:
        if not _ROLE.fullmatch(role):
            raise InvalidValueError(f"{role[:80]!r} cannot be a role's name")
        ranks = ("none", *RANKS)
        if right not in ranks:
            raise InvalidValueError(f"{right!r} is none of {', '.join(ranks)}")
        place = "null" if workspace is None else literal(workspace)
        return f"select dejavu_grant({literal(role)}, {ranks.index(right)}, {place});\n"

    def set_private(self, workspace: str, *, hidden: bool) -> tuple[str, str]:
        """Hide a project from everyone without a right in itself, or share it.

        Return the SQL, and what may be wrong about the name.
        """
        statements = f"select dejavu_set_private({literal(workspace)}, {str(hidden).lower()});\n"
        with self._transaction() as cursor:
            if self._place.reached < migrations.WITH_PROJECTS:
                self._run(cursor, statements)
                return statements, ""
            before = cursor.execute(_OWN_PRIVATE, (workspace,)).fetchone()
            self._run(cursor, statements)
            held = cursor.execute(_HELD_IN, (workspace,) * 4).fetchone()
        if hidden and held == (False,):
            return statements, "no conversation is there yet"
        return statements, "" if hidden or before == (True,) else "it was not private"

    def apply(self, statements: str) -> str:
        """Run the statements of `postgres_retention` in one transaction; return them.

        Raises:
            ArchiveError: this role may not, or `team init` was run by an older program.
            NotFoundError: no such conversation or workspace, or none that is held.
        """
        with self._transaction() as cursor:
            self._run(cursor, statements)
        return statements

    def _run(self, cursor: Cursor, statements: str) -> None:
        try:
            script(cursor, statements)
        except psycopg.errors.UndefinedFunction as error:
            raise ArchiveError(
                f"the archive {self._connections.name} has no such rights yet; let its keeper run "
                "`dejavu team init` (again, after an update)"
            ) from error
        except psycopg.errors.UndefinedObject as error:
            hint = error.diag.message_hint or "see `dejavu team status`"
            raise NotFoundError(f"{error.diag.message_primary}; {hint}") from error

    def audit(self, limit: int) -> list[AuditLine]:
        """The newest lines of the audit first; empty for who may not read it."""
        views = quoted(migrations.views_schema(self._place.schema))
        query = (
            "select to_char(at at time zone 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS\"Z\"'), login::text, "
            f"action, object, workspace, detail from {views}.audit order by number desc limit %b"
        )
        with self._transaction() as cursor:
            return [AuditLine(*row) for row in cursor.execute(query.encode(), (limit,)).fetchall()]

    def due(self) -> list[Due]:
        """What is beyond its retention, by the server's clock.

        Raises:
            ArchiveError: the archive is of an older schema; `upgrade` brings it up.
        """
        if self._place.reached < migrations.WITH_PROJECTS:
            raise migrations.outdated(self._connections.name)
        with self._transaction() as cursor:
            return due(cursor)

    def status(self) -> Status:
        """Who may do what, and what the server has."""
        with self._transaction() as cursor:
            with_projects = self._place.reached >= migrations.WITH_PROJECTS
            views_schema = quoted(migrations.views_schema(self._place.schema))
            [(server, views, rights, trigrams, meanings)] = cursor.execute(
                _STATUS, (views_schema,)
            ).fetchall()
            members = cursor.execute(_MEMBERS).fetchall()
            private = cursor.execute(_PRIVATE[with_projects].encode()).fetchall()
            closed = cursor.execute(_CLOSED).fetchall() if with_projects else []
            machines = cursor.execute(
                "select name, owner::text from dejavu_instances order by name"
            ).fetchall()
            extensions = cursor.execute(_EXTENSIONS).fetchall()
            held, kept = holds(cursor), retentions(cursor)
        return Status(
            server=server, schema=self._place.schema, reached=self._place.reached,
            views=migrations.views_schema(self._place.schema) if views else None, rights=rights,
            members=tuple(Member(role, RANKS[rank - 1], place) for role, rank, place in members),
            private=tuple(name for (name,) in private), instances=tuple(machines),
            extensions=tuple(Extension(*row) for row in extensions), holds=tuple(held), retention=tuple(kept),
            trigrams=trigrams, closed=bool(closed), meanings=meanings,
        )  # fmt: skip

    @contextmanager
    def _transaction(self) -> Generator[Cursor]:
        try:
            with self._connections.cursor() as cursor:
                schema.begin(cursor, self._place)
                yield cursor
                script(cursor, "commit")
        except ConnectionLostError as lost:
            raise self._connections.unreachable(lost) from lost


_PRIVATE = {
    True: "select name from dejavu_workspaces where private and inside is null",
    False: "select name from dejavu_workspaces where private",
}
_OWN_PRIVATE = (
    "select exists (select from dejavu_workspaces where name = %t and private and inside is null)"
)
_HELD_IN = """
select exists (select from dejavu_conversations c join dejavu_workspaces w on w.id = c.workspace
 where w.name = %t or starts_with(w.name, %t || '/') or w.project = %t or starts_with(w.project, %t || '/'))
"""
_CLOSED = "select name from dejavu_settings where name = 'closed' and value = 'true'"
_STATUS = """
select current_setting('server_version'), to_regnamespace(%t) is not null,
       (select relrowsecurity from pg_class where oid = 'dejavu_records'::regclass),
       to_regclass('dejavu_parts_trigrams') is not null, to_regproc('dejavu_recall_near') is not null
"""
# pg_trgm and vector are used (`sql/trigrams.sql`, `sql/vectors.sql`); the others are not: months are partitions
# of our own. They are told so that no one waits for what they would do.
_EXTENSIONS = """
select name, installed_version, default_version from pg_available_extensions
 where name in ('timescaledb', 'citus', 'vector', 'pg_trgm') order by name
"""
_MEMBERS = """
select m.role::text, m.rank, w.name from dejavu_members m
  left join dejavu_workspaces w on w.id = m.workspace order by 3 nulls first, 2 desc, 1
"""


class Upgrade(NamedTuple):
    """From which schema to which, and by what.

    `sql`: the steps; the rights are run again with them. Empty where there is nothing to do.
    """

    reached: int
    newest: int
    sql: str


def upgrade(url: str, *, dry_run: bool) -> Upgrade:
    """Bring an archive to this program's schema, or only say how.

    Raises:
        NotFoundError: there is none.
        ArchiveError: out of reach, or this role does not own the tables.
    """
    backend = open_server(url, create=False)
    try:
        reached = backend.place.reached
        if not dry_run:
            backend.upgrade()
            if reached < migrations.NEWEST:
                connections = Connections(url)
                try:
                    build_trigrams(connections, backend.place.quoted)
                finally:
                    connections.drop()
    finally:
        backend.close()
    return Upgrade(
        reached, migrations.NEWEST, "".join(text for _, text in migrations.steps(reached))
    )


def _may_make_roles(cursor: Cursor) -> bool:
    row = cursor.execute(
        "select rolsuper or rolcreaterole from pg_roles where rolname = current_user"
    ).fetchone()
    return bool(row and row[0])


def _machines(cursor: Cursor, role: str) -> list[str]:
    """Instances that are called after a role and no one's yet."""
    rows = cursor.execute(
        "select name from dejavu_instances where owner is null "
        "and left(name, length(%t) + 1) = %t || '@' order by name",
        (role, role),
    ).fetchall()
    return [str(name) for (name,) in rows]
