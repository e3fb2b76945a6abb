"""Reading the SQLite file of deja-local, the seed of these memories.

Opens the file read-only and never writes. Its table is `memories` with `id, text, confidence,
created_at` and, by version, `supersedes` and `source`. Costs O(rows).
"""

import secrets
import sqlite3
from collections.abc import Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple

from dejavu.model import ConfigError, from_iso

from .memory_records import MemoryRecord, adjust_confidence


class Row(NamedTuple):
    """One memory of that file; `created_at` is Unix seconds."""

    id: str
    text: str
    confidence: float
    created_at: float
    supersedes: str
    source: str


def read(file: Path) -> list[Row]:
    """The memories in `file`, the oldest first.

    Raises:
        ConfigError: it is not there, no SQLite database, or has no such table.
    """
    try:
        with closing(sqlite3.connect(f"{file.resolve().as_uri()}?mode=ro", uri=True)) as database:
            database.row_factory = sqlite3.Row
            rows: list[Any] = database.execute("SELECT * FROM memories").fetchall()
    except sqlite3.Error as error:
        raise ConfigError(
            f"{file}: no deja-local database ({error}); name the SQLite file with its `memories`"
        ) from error
    imported = [_row(dict(row)) for row in rows]
    return sorted((row for row in imported if row.text.strip()), key=lambda row: row.created_at)


def memories(rows: Sequence[Row], have: Mapping[str, str]) -> list[MemoryRecord]:
    """The rows as memories with ids of ours; `have` has the ids of those texts that are there already.

    Links are kept where both ends are there, doubles within the file once.
    """
    by_text: dict[str, str] = {}
    names: dict[str, str] = {}
    for row in rows:
        if (text := row.text.strip()) not in have:
            fresh = f"{int(row.created_at * 1000):011x}{secrets.token_hex(4)}"
            names[row.id] = by_text.setdefault(text, fresh)
    newer = {
        row.supersedes: names.get(row.id) or have[row.text.strip()]
        for row in rows
        if row.supersedes
    }
    return [
        MemoryRecord(
            id=names[row.id],
            text=text,
            confidence=adjust_confidence(row.confidence, 0.0),
            created_at=row.created_at,
            updated_at=row.created_at,
            source=row.source,
            supersedes=(names[row.supersedes],) if row.supersedes in names else (),
            superseded_by=newer.get(row.id),
        )
        for row in rows
        if (text := row.text.strip()) in by_text and by_text.pop(text) == names[row.id]
    ]


def _row(columns: dict[str, Any]) -> Row:
    made = columns.get("created_at", columns.get("createdAt"))
    confidence = columns.get("confidence")
    return Row(
        str(columns.get("id", "")),
        str(columns.get("text") or ""),
        0.5 if confidence is None else float(confidence),
        from_iso(made) or 0.0,
        str(columns.get("supersedes") or ""),
        str(columns.get("source") or ""),
    )
