"""The relations of a PostgreSQL archive: numbered steps that only go up, and the views for people.

A step is a file of `sql/`; each can be run again. Where rights are on they are brought up with the
tables, in the same transaction. The number reached is in the comment of the
table of records, so that finding the archive tells it in the same statement. The step to 2 makes
the relations and fills them from the records, in one transaction: O(archive), once.

The records stay the one truth: they carry the checksums, they are what `verify`, `backup` and a
move to LMDB read, and LMDB has the same. The relations are written from them in the same transaction
(`postgres_relations.py`), whatever changed them, so they can be neither behind nor ahead; a relation
that was damaged is rebuilt by `fill`.

Tested in: tests/extensions/teams/test_postgres_versions.py
"""

import re
from datetime import date
from importlib import resources
from typing import Any, NamedTuple

import psycopg

from dejavu.export.stats import load_prices
from dejavu.model import ArchiveUnavailableError, ConfigError, NewerFormatError

from .postgres_records import RECORDS, script
from .postgres_sql import literal, quoted

Cursor = psycopg.Cursor[Any]

NEWEST = 19
WITH_PROJECTS = 16
"""The schema from which on rights, retention and holds go by project."""
OLDEST_WRITTEN = 7
"""The oldest schema that this program can write; older ones it reads."""
_READERS, _WRITERS = 7, 7  # the oldest programs that can read, and write, the schema `NEWEST`
RANKS = ("reader", "writer", "curator", "owner")
EMPTY = 1
"""The schema of tables that were just made, and of those from before the relations."""
_FIRST_WITH_RELATIONS = 2
_REACHED = "insert into dejavu_migrations (number) values (%b) on conflict do nothing"
_PRICES = b"insert into dejavu_prices values (%t, %b, %b, %b, %b, %b, %b)"
_VERSIONS = re.compile(r"dejavu schema (\d+)(?: readers (\d+) reached (\d+))?")
_SQL = resources.files(__name__.rpartition(".")[0]) / "sql"


class Versions(NamedTuple):
    """How far an archive was migrated, and the oldest programs that can read and write it.

    In the comment the writers' number comes first, as the only one that programs up to 7 know.
    """

    reached: int
    readers: int
    writers: int

    @property
    def comment(self) -> str:
        """What the comment of the table of records says."""
        return f"dejavu schema {self.writers} readers {self.readers} reached {self.reached}"


def versions_of(comment: str | None) -> Versions:
    """The versions in a table's comment; 1 where there is none: tables of before."""
    match = _VERSIONS.match(comment or "")
    writers = int(match[1]) if match else 1
    if match is None or match[2] is None:
        return Versions(writers, writers, writers)
    return Versions(int(match[3]), int(match[2]), writers)


def statements(name: str) -> str:
    """The text of a file of `sql/`."""
    return (_SQL / name).read_text("utf-8")


def steps(reached: int) -> list[tuple[int, str]]:
    """(number, statements) of every step above `reached`, in order."""
    files = sorted(
        file.name for file in _SQL.iterdir()
        if file.name[:4].isdigit()
    )  # fmt: skip
    return [(int(name[:4]), statements(name)) for name in files if int(name[:4]) > reached]


def views_schema(schema: str) -> str:
    """The schema of the views of the archive in `schema`, as an identifier."""
    return "dejavu" if schema == "public" else f"dejavu_{schema}"


def refuse_newer(name: str, versions: Versions) -> None:
    """Raise NewerFormatError where only newer programs can read."""
    if versions.readers > NEWEST:
        raise NewerFormatError(
            f"the archive {name} has the schema {versions.reached}, this program knows up to {NEWEST}; "
            "update dejavu-capture"
        )


def refuse_writing(name: str, versions: Versions) -> None:
    """Raise ArchiveUnavailableError where this program cannot write, but read."""
    if versions.writers > NEWEST:
        raise ArchiveUnavailableError(
            f"the archive {name} can be read by this program and written only by newer ones; "
            "update dejavu-capture"
        )
    if versions.reached < OLDEST_WRITTEN:
        raise outdated(name)


def migrate(cursor: Cursor, schema: str, reached: int) -> bool:
    """Take every step above `reached`; the caller holds the writer's place and commits.

    Return whether the relations have to be filled from the records.
    """
    row = cursor.execute("select current_setting('server_encoding')").fetchone()
    if row is None or row[0] != "UTF8":
        raise ConfigError(
            f"the database has the encoding {row and row[0]}; an archive needs one made with "
            "`create database ... encoding 'UTF8' template template0`"
        )
    for number, text in steps(reached):
        script(cursor, text)
        if number >= _FIRST_WITH_RELATIONS:
            cursor.execute(_REACHED, (number,))
    versions = Versions(NEWEST, _READERS, _WRITERS)
    script(cursor, f"comment on table {RECORDS} is '{versions.comment}'")
    if make_views(cursor, schema) and rights_on(cursor):
        script(cursor, rights_statements(schema))
    return reached < _FIRST_WITH_RELATIONS


def rights_on(cursor: Cursor) -> bool:
    """Whether `dejavu team init` was run here."""
    row = cursor.execute(
        f"select relrowsecurity from pg_class where oid = '{RECORDS}'::regclass"
    ).fetchone()
    return bool(row and row[0])


def group_roles(schema: str) -> list[str]:
    """The roles without a login that hold the privileges of the archive in `schema`, by rank."""
    infix = "" if schema == "public" else f"{schema}_"
    return [f"dejavu_{infix}{rank}" for rank in RANKS]


def rights_statements(schema: str) -> str:
    """What turns rights on in the archive in `schema`, and brings those of an older program up."""
    groups = group_roles(schema)
    text = "".join(
        map(statements, ("rights.sql", "holds.sql", "trigrams.sql", "vectors.sql", "comments.sql"))
    )
    names: dict[str, str] = dict(zip(RANKS, map(quoted, groups), strict=True))
    names["role_names"] = ", ".join(literal(name) for name in groups)
    names["schema"] = quoted(schema)
    names["views"] = quoted(views_schema(schema))
    names["views_name"] = literal(names["views"])
    for name, value in names.items():
        text = text.replace("{" + name + "}", value)
    return text


def make_views(cursor: Cursor, schema: str) -> bool:
    """Make the views, where this role may make a schema for them; return whether it may."""
    name = views_schema(schema)
    row = cursor.execute(
        "select to_regnamespace(%t) is not null "
        "or has_database_privilege(current_database(), 'create')",
        (quoted(name),),
    ).fetchone()
    if row is None or not row[0]:
        return False
    text = statements("views.sql") + statements("comments.sql")
    text = text.replace("{views}", quoted(name)).replace("{views_name}", literal(quoted(name)))
    script(cursor, text)
    fill_prices(cursor)
    return True


def fill_prices(cursor: Cursor) -> None:
    """Put the prices that this program knows, the keeper's own first, in the place of those that are there."""
    rows = [
        (name, price.since or date.min, price.input, price.output, price.cache_read, price.cache_write,
         price.cache_write_1h)
        for name, price in load_prices().rows
    ]  # fmt: skip
    script(cursor, "delete from dejavu_prices")
    cursor.executemany(_PRICES, rows)


def outdated(name: str) -> ArchiveUnavailableError:
    """The message where the keeper of the server has to act before this program can write."""
    return ArchiveUnavailableError(
        f"the archive {name} has tables of an older program; it can be read until its keeper runs "
        "`dejavu team upgrade` with this version"
    )
