"""The database of 1.x."""

import sqlite3
from pathlib import Path

from dejavu.providers.opencode.database import Database, recent


def test_a_database_of_fewer_columns(tmp_path: Path) -> None:
    connection = sqlite3.connect(tmp_path / "opencode.db")
    connection.executescript(
        "CREATE TABLE session (id TEXT, directory TEXT, time_created, time_updated);"
        "CREATE TABLE message (id TEXT, session_id TEXT, time_created, data TEXT);"
        "CREATE TABLE part (id TEXT, message_id TEXT, data TEXT);"
        "INSERT INTO session VALUES ('s', '/work', 1, '2026-03-01');"
        "INSERT INTO message VALUES ('m', 's', 1, '{\"role\":\"user\"}');"
        'INSERT INTO part VALUES (\'p\', \'m\', \'{"type":"text","text":"go"}\');'
    )
    connection.close()
    store = Database(tmp_path / "opencode.db")
    assert list(store.sessions()) == ["s"]
    assert list(store.index("s")) == ["m"]
    (message,) = store.messages("s", ["m", "gone"])
    assert message["parts"][0]["data"] == {"type": "text", "text": "go"}


def test_what_was_touched_of_late_is_asked_of_the_whole_database(tmp_path: Path) -> None:
    path = tmp_path / "opencode.db"
    path.write_bytes(b"x")
    day = 86_400_000
    assert recent(path, 1, day + 1) == ()
    assert recent(path, 2, day + 1) != ()
