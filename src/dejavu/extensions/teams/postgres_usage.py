"""Sums of turns that the server keeps (`sql/0014_usage.sql`), in groups.

Costs a round trip, and one more where a project is named.

Tested in: tests/extensions/teams/test_postgres_usage.py
"""

from dejavu.archive.backends.transaction import Reader
from dejavu.archive.usage import Bounds, UsageRow
from dejavu.model import ConversationFilter
from dejavu.model.conversation_filter import is_project

from .postgres_reader import PostgresReader
from .postgres_rows import clean_or_none

WITH_USAGE = 14
"""The schema from which on the server keeps sums."""
_NAMES = """
select distinct coalesce(c.project, w.name)
  from dejavu_conversations c join dejavu_workspaces w on w.id = c.workspace
"""


def usage(
    schema: str,
    wanted: ConversationFilter,
    bounds: Bounds,
    each: bool,
    blocks: bool,
    reader: Reader,
) -> list[UsageRow] | None:
    """Return the sums of the conversations that pass; None where more is asked than the sums tell."""
    if not isinstance(reader, PostgresReader):
        return None
    if wanted.role or wanted.tool or wanted.path or wanted.tags or wanted.without_tags:
        return None
    if wanted.starred is not None:
        return None
    projects: list[str] | None = None
    if wanted.project is not None:
        projects = [name for (name,) in reader.rows(_NAMES) if is_project(wanted.project, name)]
    statement = (
        f"select * from {schema}.dejavu_used(current_user, %t, %t, %t, %b::boolean, %t::text[], %b::float8, "
        "%b::float8, %t::int[], %t::int[], %t::int[], %b::boolean, %b::boolean)"
    )
    names = map(clean_or_none, (wanted.workspace, wanted.instance, wanted.agent))
    rows = reader.rows(
        statement,
        (
            *names,
            wanted.side,
            projects,
            wanted.since,
            wanted.until,
            *map(list, bounds),
            each,
            blocks,
        ),
    )
    return [UsageRow(*row) for row in rows]
