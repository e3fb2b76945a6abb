"""Each of OpenCode's stores as the same thing."""

import shutil
import sqlite3
from pathlib import Path

from dejavu.providers.opencode_stores import Database, stores, title


def test_the_trees_of_both_generations(data: Path) -> None:
    tree, older = stores(data / "opencode" / ".local" / "share" / "opencode")
    assert (list(tree.sessions()), list(older.sessions())) == (["ses_1"], ["ses_0"])
    (message,) = tree.messages("ses_1", ["msg_1"])
    assert [part["id"] for part in message["parts"]] == ["prt_1", "prt_2", "prt_3"]
    (message,) = older.messages("ses_0", ["msg_0a"])
    assert message["parts"][0]["data"]["text"] == "A question of generation 0."
    assert tree.gate("ses_0") is None
    assert tree.session("ses_1")["directory"] == "/work/pond"


def test_a_gate_opens_when_a_part_is_added_or_edited(data: Path, tmp_path: Path) -> None:
    shutil.copytree(data / "opencode", tmp_path, dirs_exist_ok=True)
    root = tmp_path / ".local" / "share" / "opencode"
    tree = stores(root)[0]
    gates = [tree.gate("ses_1")]
    part = root / "storage" / "part" / "msg_1" / "prt_9.json"
    part.write_text("{}")
    gates.append(tree.gate("ses_1"))
    (part.parent / ".oc-1.tmp").write_text("{")
    assert tree.gate("ses_1") == gates[-1]
    assert len(set(gates)) == 2


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


def test_titles_that_every_session_begins_with_are_none() -> None:
    assert title({"title": "New session - 2026"}) == ""
    assert title({"title": "Frogs"}) == "Frogs"
