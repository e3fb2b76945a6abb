"""The names of the tables of a PostgreSQL archive, and statements without an answer.

Tested in: tests/extensions/teams/test_postgres_schema.py
"""

from typing import Any

import psycopg

RECORDS = "dejavu_records"
"""The table; in the schema that the URL's `search_path` leads to."""
RELATIONS = (
    "dejavu_conversations", "dejavu_turns", "dejavu_parts", "dejavu_sources", "dejavu_links",
    "dejavu_notes",
)  # fmt: skip
"""What is made from the records (`postgres_relations.py`)."""


def script(cursor: psycopg.Cursor[Any], statements: str) -> None:
    """Run several statements in one round trip; their rows are not asked for."""
    cursor.connection.execute(statements.encode(), prepare=False).close()
