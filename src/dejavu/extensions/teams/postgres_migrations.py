"""The relations of a PostgreSQL archive: numbered steps that only go up, and the views for people.

A step is a file of `sql/`; each can be run again. Where rights are on they are brought up with the
tables, in the same transaction. The number reached stands in the comment of the
table of records, so that finding the archive tells it in the same statement. The step to 2 makes
the relations and fills them from the records, in one transaction: O(archive), once.

The records stay the one truth: they carry the checksums, they are what `verify`, `backup` and a
move to LMDB read, and LMDB has the same. The relations are written from them in the same transaction
(`postgres_relations.py`), whatever changed them, so they can be neither behind nor ahead; a relation
that was damaged is made anew by `fill`.
"""

import re
from importlib import resources
from typing import Any

import psycopg

from dejavu.model import ArchiveUnavailableError, ConfigError, NewerFormatError

from .postgres_records import RECORDS, script
from .postgres_sql import literal, quoted

Cursor = psycopg.Cursor[Any]

NEWEST = 7
RANKS = ("reader", "writer", "curator", "owner")
_FIRST_WITH_RELATIONS = 2
_REACHED = "insert into dejavu_migrations (number) values (%b) on conflict do nothing"
_NUMBER = re.compile(r"dejavu schema (\d+)")


def number_of(comment: str | None) -> int:
    """The schema's number in a table's comment; 1 where there is none: tables of before."""
    match = _NUMBER.match(comment or "")
    return int(match[1]) if match else 1


def statements(name: str) -> str:
    """The text of a file of `sql/`."""
    return (resources.files(__package__) / "sql" / name).read_text("utf-8")


def steps(reached: int) -> list[tuple[int, str]]:
    """(number, statements) of every step above `reached`, in order."""
    files = sorted(
        file.name for file in (resources.files(__package__) / "sql").iterdir()
        if file.name[:4].isdigit()
    )  # fmt: skip
    return [(int(name[:4]), statements(name)) for name in files if int(name[:4]) > reached]


def views_schema(schema: str) -> str:
    """The schema of the views of the archive in `schema`, as an identifier."""
    return "dejavu" if schema == "public" else f"dejavu_{schema}"


def refuse_newer(name: str, number: int) -> None:
    """Raise NewerFormatError where a newer program has been here."""
    if number > NEWEST:
        raise NewerFormatError(
            f"the archive {name} has the schema {number}, this program knows up to {NEWEST}; "
            "update dejavu-capture"
        )


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
    script(cursor, f"comment on table {RECORDS} is 'dejavu schema {NEWEST}'")
    if make_views(cursor, schema) and rights_on(cursor):
        script(cursor, rights_statements(schema))
    return reached < _FIRST_WITH_RELATIONS


def rights_on(cursor: Cursor) -> bool:
    """Whether `dejavu team init` was run here."""
    row = cursor.execute(
        f"select relrowsecurity from pg_class where oid = '{RECORDS}'::regclass"  # noqa: S608
    ).fetchone()
    return bool(row and row[0])


def group_roles(schema: str) -> list[str]:
    """The roles without a login that hold the privileges of the archive in `schema`, by rank."""
    infix = "" if schema == "public" else f"{schema}_"
    return [f"dejavu_{infix}{rank}" for rank in RANKS]


def rights_statements(schema: str) -> str:
    """What turns rights on in the archive in `schema`, and brings those of an older program up."""
    groups = group_roles(schema)
    text = "".join(map(statements, ("rights.sql", "holds.sql", "trigrams.sql")))
    names: dict[str, str] = dict(zip(RANKS, map(quoted, groups), strict=True))
    names["role_names"] = ", ".join(literal(name) for name in groups)
    names["schema"] = quoted(schema)
    names["views"] = quoted(views_schema(schema))
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
    script(cursor, statements("views.sql").replace("{views}", quoted(name)))
    return True


def outdated(name: str) -> ArchiveUnavailableError:
    """What a member is told before whose program the keeper of the server has to act."""
    return ArchiveUnavailableError(
        f"the archive {name} has tables of an older program, which only their owner may change; "
        "ask its keeper to run `dejavu team status` once with this version"
    )
