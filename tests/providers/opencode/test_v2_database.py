"""OpenCode 2's tables, alone and beside those of 1.x."""

import json
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from dejavu.model import Relation, Text
from dejavu.providers import PROVIDERS, Home
from dejavu.providers.opencode.files import OpenCode
from dejavu.providers.opencode.v2_database import Projection

OLDER = """
CREATE TABLE session (id TEXT PRIMARY KEY, parent_id TEXT, directory TEXT, title TEXT, version TEXT,
                      time_created INTEGER, time_updated INTEGER);
CREATE TABLE message (id TEXT PRIMARY KEY, session_id TEXT, time_created INTEGER,
                      time_updated INTEGER, data TEXT);
CREATE TABLE part (id TEXT PRIMARY KEY, message_id TEXT, session_id TEXT, time_created INTEGER,
                   time_updated INTEGER, data TEXT);
"""
NEWER = """
CREATE TABLE session_v2 (id TEXT PRIMARY KEY, parent_id TEXT, fork_session_id TEXT, directory TEXT,
                         title TEXT, version TEXT, time_created INTEGER, time_updated INTEGER);
CREATE TABLE session_message (id TEXT PRIMARY KEY, session_id TEXT, type TEXT, seq INTEGER,
                              time_created INTEGER, time_updated INTEGER, data TEXT);
"""


class Two:
    """A database of OpenCode 2."""

    def __init__(self, home: Path, schema: str) -> None:
        self.root = home / ".local" / "share" / "opencode"
        self.root.mkdir(parents=True)
        self.db = sqlite3.connect(self.root / "opencode.db", isolation_level=None)
        self.db.execute("PRAGMA journal_mode=wal")
        self.db.executescript(schema)
        self.now = 1_790_000_000_000

    def put(self, table: str, **row: Any) -> None:
        names, marks = ",".join(row), ",".join("?" * len(row))
        self.db.execute(
            f"INSERT OR REPLACE INTO {table} ({names}) VALUES ({marks})", [*row.values()]
        )

    def session(self, native: str, table: str = "session_v2", **fields: Any) -> None:
        self.now += 1
        row = {
            "directory": "/work",
            "title": "T",
            "version": "2.0.12",
            "time_created": self.now,
            **fields,
        }
        self.put(table, id=native, **row, time_updated=self.now)

    def say(self, native: str, kind: str, seq: int, session: str = "s", **data: Any) -> None:
        self.now += 1
        stamp = {"time_created": self.now, "time_updated": self.now}
        body = json.dumps({"time": {"created": self.now}, **data})
        self.put(
            "session_message", id=native, session_id=session, type=kind, seq=seq, **stamp, data=body
        )


@pytest.fixture
def two(tmp_path: Path) -> Any:
    opened = Two(tmp_path, NEWER)
    yield opened
    opened.db.close()


def test_a_session_of_the_newer_tables_alone(two: Two, tmp_path: Path, read_home: Any) -> None:
    two.session("s", fork_session_id="up")
    two.say("msg_9", "user", 0, text="go")
    two.say("msg_1", "assistant", 1, content=[{"type": "text", "text": "gone"}], model={"id": "m"})
    book = read_home("opencode", tmp_path)
    head = book.heads["s"]
    assert [turn.text for turn in book.turns["s"]] == ["go", "gone"], "by seq, not by id"
    assert (head.workspace, head.title, head.agent_version) == ("/work", "T", "2.0.12")
    assert head.relation is Relation.FORK


def test_an_edited_row_is_told_again(
    two: Two, tmp_path: Path, make_book: Callable[[], Any]
) -> None:
    two.session("s")
    two.say("m1", "user", 0, text="go")
    two.say("m2", "assistant", 1, content=[])
    provider, book = PROVIDERS["opencode"], make_book()
    (source,) = provider.discover(Home(tmp_path, {}))
    parser, cursor = provider.parser(source), None

    def read() -> int:
        nonlocal cursor
        size = 0
        for delta in provider.follow(source, cursor):
            parser.feed(delta.data, delta.offset)
            size, cursor = size + len(delta.data), delta.cursor
        book.take(parser)
        return size

    assert read() > 0
    assert read() == 0
    two.say("m2", "assistant", 1, content=[{"type": "text", "text": "gone"}])
    assert read() > 0
    assert [turn.text for turn in book.turns["s"]] == ["go", "gone"]
    assert source.path == two.root / "opencode.db", "a watcher follows this very file"
    assert list(OpenCode().follow(source)), "by a provider that never looked for it"


def test_a_migrated_session_stands_once_and_goes_on(tmp_path: Path, read_home: Any) -> None:
    two = Two(tmp_path, OLDER + NEWER)
    two.session("s", table="session")
    stamp = {"session_id": "s", "time_created": 1, "time_updated": 1}
    for name in ("m1", "m2"):
        two.put("message", id=name, **stamp, data=json.dumps({"role": "user"}))
        part = {"type": "text", "text": f"older {name}"}
        two.put("part", id=f"p{name}", message_id=name, **stamp, data=json.dumps(part))
    two.session("s", title="Renamed")
    two.say("m1", "user", 0, text="older m1")
    two.say("made-of-a-part", "synthetic", 1, text="older m1")
    two.say("m2", "user", 2, text="older m2")
    two.say("m3", "user", 3, text="newer")
    two.session("only-older", table="session")
    book = read_home("opencode", tmp_path)
    assert [turn.text for turn in book.turns["s"]] == ["older m1", "older m2", "newer"]
    assert book.heads["s"].title == "Renamed"
    found = PROVIDERS["opencode"].discover(Home(tmp_path, {}))
    assert sorted(str(source.native_id) for source in found) == ["only-older", "s"]
    two.db.close()


def test_both_tables_of_a_beta_tell_of_one_session(tmp_path: Path, read_home: Any) -> None:
    beta = NEWER.partition("CREATE TABLE session_message")[2].replace("seq INTEGER,", "")
    two = Two(tmp_path, f"{OLDER}CREATE TABLE session_message{beta}")
    two.session("s", table="session")
    data = json.dumps({"role": "user", "time": {"created": two.now}})
    two.put(
        "message", id="a", session_id="s", time_created=two.now, time_updated=two.now, data=data
    )
    two.put("part", id="p", message_id="a", data=json.dumps({"type": "text", "text": "typed"}))
    later = two.now + 10
    row = {"session_id": "s", "type": "user", "time_created": later, "time_updated": later}
    two.put("session_message", id="b", **row, data=json.dumps({"text": "by the server"}))
    book = read_home("opencode", tmp_path)
    assert [turn.parts[0] for turn in book.turns["s"]] == [Text("typed"), Text("by the server")]
    two.db.close()


def test_a_database_without_these_tables_has_none(tmp_path: Path) -> None:
    sqlite3.connect(tmp_path / "opencode.db").close()
    assert list(Projection(tmp_path / "opencode.db").sessions()) == []
    assert list(Projection(tmp_path / "none.db").sessions()) == []
