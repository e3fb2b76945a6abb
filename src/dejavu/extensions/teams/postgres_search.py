"""Searches that the server answers by its own functions, each in one statement on a snapshot.

Only PostgreSQL has them: on any other reader they find nothing. Costs one round trip each.
Tested in: tests/extensions/teams/test_postgres_backend.py
"""

from collections.abc import Sequence

from dejavu.archive.backends.transaction import Reader
from dejavu.archive.keys import block_key
from dejavu.archive.search.remote import Candidate, FoundTurn
from dejavu.model import ConversationFilter

from .postgres_reader import PostgresReader

WITH_EXACT = 5
"""The schema from which on the server has `dejavu_exact`."""


def find_text(
    schema: str, queries: Sequence[str], wanted: ConversationFilter, most: int, reader: Reader
) -> list[FoundTurn]:
    """Return the newest turns that answer, at most `most`. `schema`: its name, quoted."""
    statement = (
        f"select * from {schema}.dejavu_search(current_user, "
        "%b::text[], %t, %t, %t, %t, %t, %b::float8, %b::float8, %b::int)"
    )
    if not isinstance(reader, PostgresReader):
        return []
    rows = reader.rows(statement, ([*queries], *_arguments(wanted), most))
    return [FoundTurn(*row) for row in rows]


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
    return (
        wanted.workspace, wanted.instance, wanted.agent, wanted.role, wanted.tool, wanted.since,
        wanted.until,
    )  # fmt: skip
