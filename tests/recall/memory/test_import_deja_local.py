"""Reading the seed's file; anything else is refused in a sentence."""

import sqlite3
from pathlib import Path

import pytest

from dejavu.model import ConfigError
from dejavu.recall.memory.import_deja_local import read


def test_columns_of_any_version(tmp_path: Path) -> None:
    file = tmp_path / "deja.db"
    database = sqlite3.connect(file)
    database.execute("CREATE TABLE memories (id TEXT, text TEXT, createdAt TEXT)")
    database.execute("INSERT INTO memories VALUES ('2', 'b', '1970-01-01T00:00:02Z')")
    database.execute("INSERT INTO memories VALUES ('1', 'a', '1970-01-01T00:00:01Z')")
    database.execute("INSERT INTO memories VALUES ('0', ' ', NULL)")
    database.commit()
    database.close()
    assert [(row.text, row.created_at, row.confidence) for row in read(file)] == [
        ("a", 1.0, 0.5),
        ("b", 2.0, 0.5),
    ]


def test_anything_else_is_refused(tmp_path: Path) -> None:
    (tmp_path / "x").write_text("no database, but long enough to be looked at")
    for name in ("missing", "x"):
        with pytest.raises(ConfigError, match="no deja-local database"):
            read(tmp_path / name)
