"""Legal hold and retention in a PostgreSQL archive: the SQL of `dejavu team hold|release|retention`.

The server itself keeps a hold (`sql/holds.sql`): no one can delete what is under one, through this program
or through psql, and what is written over is kept next to it. Retention is only said here; `dejavu team prune`
carries it out, as a curator. Each is one statement of a round trip.
"""

from typing import Any, NamedTuple

import psycopg

from dejavu.model import InvalidValueError

from .postgres_sql import literal

Cursor = psycopg.Cursor[Any]

_REASON = 1_000  # characters


class Hold(NamedTuple):
    """A legal hold, of a workspace or of a conversation; since when (UTC), and who placed it."""

    workspace: str | None
    conversation: str | None
    reason: str
    since: str
    by: str


class Retention(NamedTuple):
    """Days after which a conversation may go; `workspace` None: of those that have no own."""

    workspace: str | None
    days: int


def hold_statement(conversation: str | None, workspace: str | None, reason: str) -> str:
    """The SQL that places a hold on one of the two.

    Raises:
        InvalidValueError: no reason, or one of more than 1,000 characters.
    """
    reason = " ".join(reason.split())
    if not 0 < len(reason) <= _REASON:
        raise InvalidValueError("a hold needs a reason (--reason) of up to 1,000 characters")
    what = _named(conversation, workspace)
    return f"select dejavu_hold({what}, {literal(reason)});\n"


def release_statement(conversation: str | None, workspace: str | None) -> str:
    """The SQL that ends a hold, and lets go of what was kept for it."""
    return f"select dejavu_release({_named(conversation, workspace)});\n"


def retention_statement(workspace: str | None, days: int | None) -> str:
    """The SQL that says how long conversations are kept; None: for ever."""
    wanted = "null" if days is None else str(int(days))
    return f"select dejavu_set_retention({_or_null(workspace)}, {wanted});\n"


def note_statement(workspace: str, days: int, gone: int) -> str:
    """The SQL that writes into the audit what a workspace's retention took."""
    return f"select dejavu_note_retention({literal(workspace)}, {int(days)}, {int(gone)});\n"


class Due(NamedTuple):
    """A conversation beyond its retention. `before`: Unix seconds; `place`: the rule's, or its folder."""

    conversation: str
    place: str
    days: int
    before: float


def due(cursor: Cursor) -> list[Due]:
    """What is beyond its retention, by place and the oldest first; empty where there is no retention."""
    if not _may_read(cursor, "dejavu_retention"):
        return []
    return [Due(*row) for row in cursor.execute("select * from dejavu_due()").fetchall()]


def hold_on(cursor: Cursor, schema: str, conversation: str) -> str | None:
    """The reason of the hold a conversation is under; `schema` is an identifier."""
    row = cursor.execute(
        "select to_regclass(%t) is not null", (f"{schema}.dejavu_holds",)
    ).fetchone()
    if row is None or not row[0]:
        return None
    query = (
        f"select {schema}.dejavu_hold_of(number, null) from {schema}.dejavu_conversations "
        "where id = %t"
    )
    row = cursor.execute(query.encode(), (conversation,)).fetchone()
    return None if row is None or row[0] is None else str(row[0])


def holds(cursor: Cursor) -> list[Hold]:
    """The holds that this role may see, the oldest first; none where it may see none."""
    if not _may_read(cursor, "dejavu_holds"):
        return []
    query = (
        "select w.name, h.conversation, h.reason, to_char(h.at at time zone 'UTC', "
        '\'YYYY-MM-DD"T"HH24:MI:SS"Z"\'), h.by::text from dejavu_holds h '
        "left join dejavu_workspaces w on w.id = h.workspace order by h.number"
    )
    return [Hold(*row) for row in cursor.execute(query).fetchall()]


def retentions(cursor: Cursor) -> list[Retention]:
    """How long is kept, the workspaces by name, what holds for the rest last."""
    if not _may_read(cursor, "dejavu_retention"):
        return []
    query = (
        "select w.name, r.days from dejavu_retention r "
        "left join dejavu_workspaces w on w.id = r.workspace order by w.name nulls last"
    )
    return [Retention(*row) for row in cursor.execute(query).fetchall()]


def _may_read(cursor: Cursor, table: str) -> bool:
    """Whether the table is there (`team init` makes it), and this role may read it."""
    row = cursor.execute(
        "select coalesce(has_table_privilege(to_regclass(%t), 'select'), false)", (table,)
    ).fetchone()
    return bool(row and row[0])


def _named(conversation: str | None, workspace: str | None) -> str:
    return f"{_or_null(conversation)}, {_or_null(workspace)}"


def _or_null(text: str | None) -> str:
    return "null" if text is None else literal(text)
