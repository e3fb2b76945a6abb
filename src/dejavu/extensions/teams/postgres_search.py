"""Searches that the server answers by its own functions, each in one statement on a snapshot.

Only PostgreSQL has them: on any other reader they find nothing. Costs one round trip each.
Tested in: tests/extensions/teams/test_postgres_backend.py
"""

from collections.abc import Sequence

import msgspec

from dejavu.archive.backends.transaction import Reader
from dejavu.archive.keys import block_key
from dejavu.archive.search.remote import Candidate, FoundTurn, ServerTerm, TextQuestion
from dejavu.model import ConversationFilter

from .postgres_reader import PostgresReader
from .postgres_rows import clean, clean_or_none

WITH_EXACT = 5
"""The schema from which on the server has `dejavu_exact`."""
WITH_ANSWERS = 12
"""The schema from which on the server has `dejavu_find` and `dejavu_recall`."""


def find_text(
    schema: str,
    questions: Sequence[TextQuestion],
    wanted: ConversationFilter,
    most: int,
    shown: Sequence[str],
    paths: str | None,
    numbers: Sequence[int] | None,
    reader: Reader,
) -> list[FoundTurn]:
    """Return the newest turns that answer, at most `most`. `schema`: its name, quoted."""
    statement = (
        f"select * from {schema}.dejavu_find(current_user, %t::jsonb, %t, %t::text[], "
        "%t, %t, %t, %t, %t, %b::boolean, %b::float8, %b::float8, %b::bigint[], %b::int)"
    )
    if not isinstance(reader, PostgresReader):
        return []
    place, machine, kind, speaker, tool, since, until = _arguments(wanted)
    asked = msgspec.json.encode(list(questions)).decode()
    only = None if numbers is None else [*numbers]
    rows = reader.rows(
        statement,
        (asked, paths, [*shown], place, machine, kind, speaker, tool, wanted.side, since, until, only, most),
    )  # fmt: skip
    return [FoundTurn(*row) for row in rows]


def find_text_before(
    schema: str,
    questions: Sequence[TextQuestion],
    wanted: ConversationFilter,
    most: int,
    reader: Reader,
) -> list[FoundTurn]:
    """As `find_text`, of an archive of before `WITH_ANSWERS`."""
    statement = (
        f"select * from {schema}.dejavu_search(current_user, "
        "%b::text[], %t, %t, %t, %t, %t, %b::float8, %b::float8, %b::int)"
    )
    if not isinstance(reader, PostgresReader):
        return []
    queries = [question.exact or question.index for question in questions]
    rows = reader.rows(statement, (queries, *_arguments(wanted), most))
    return [FoundTurn(*row) for row in rows]


def find_exchanges(
    schema: str,
    terms: Sequence[ServerTerm],
    places: Sequence[str] | None,
    project: str | None,
    most: int,
    near: tuple[str, str] | None,
    reader: Reader,
) -> str:
    """Return what `dejavu_recall` says, as JSON; its fields are in `recall/history/from_server.py`.

    near: a model and a question's vector by it, as text: what `dejavu_recall_near` says.
    """
    name, more = ("dejavu_recall", "") if near is None else ("dejavu_recall_near", ", %t, %t")
    statement = (
        f"select {schema}.{name}(current_user, %t::text[], %t::text[], %b::float8[], "
        f"%t::text[], %t, %b::int{more})::text"
    )
    if not isinstance(reader, PostgresReader):
        return "{}"
    columns = [[getattr(term, name) for term in terms] for name in ServerTerm._fields]
    where = None if places is None else [*map(clean, places)]
    [(answer,)] = reader.rows(statement, (*columns, where, project, most, *(near or ())))
    return str(answer)


def has_project(name: str, reader: Reader) -> bool:
    """Return whether a workspace that this login may read is of a project."""
    statement = "select exists(select from dejavu_workspaces where project = %t)"
    return isinstance(reader, PostgresReader) and bool(reader.rows(statement, (name,))[0][0])


def find_exact(
    schema: str, patterns: tuple[str, str], wanted: ConversationFilter, most: int, reader: Reader
) -> list[Candidate]:
    """Return the turns that may hold a text, at most `most`. Needs a schema `WITH_EXACT`."""
    statement = (
        f"select * from {schema}.dejavu_exact(current_user, "
        "%t, %t, %t, %t, %t, %t, %t, %b::float8, %b::float8, %b::int)"
    )
    if not isinstance(reader, PostgresReader):
        return []
    rows = reader.rows(statement, (*patterns, *_arguments(wanted), most))
    return [Candidate(*row) for row in rows]


def bytes_of(turns: Sequence[tuple[int, int, int]], reader: Reader) -> int:
    """Return the bytes of the blocks that hold turns: conversation number, start, stop each."""
    spans = [
        (block_key(number, 0), block_key(number, start), block_key(number, stop))
        for number, start, stop in turns
    ]
    return reader.size_of("turns", spans) if isinstance(reader, PostgresReader) else 0


def _arguments(wanted: ConversationFilter) -> tuple[str | float | None, ...]:
    """Return a filter as the server's functions of searching take it."""
    names = (wanted.workspace, wanted.instance, wanted.agent, wanted.role, wanted.tool)
    return (*map(clean_or_none, names), wanted.since, wanted.until)
