"""Following OpenCode's sessions over its stores: edits, deletions, migrations, a live log."""

import json
import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from dejavu.archive import Archive
from dejavu.ingest.sync import sync_homes
from dejavu.model import UnreadableSessionError
from dejavu.providers import PROVIDERS, Home, Source

SCHEMA = """
CREATE TABLE session (id TEXT PRIMARY KEY, parent_id TEXT, directory TEXT, title TEXT, version TEXT,
                      time_created INTEGER, time_updated INTEGER);
CREATE TABLE message (id TEXT PRIMARY KEY, session_id TEXT, time_created INTEGER,
                      time_updated INTEGER, data TEXT);
CREATE TABLE part (id TEXT PRIMARY KEY, message_id TEXT, session_id TEXT, time_created INTEGER,
                   time_updated INTEGER, data TEXT);
"""


class Store:
    """An OpenCode at work: its database stays open, in WAL mode."""

    def __init__(self, home: Path) -> None:
        self.root = home / ".local" / "share" / "opencode"
        self.root.mkdir(parents=True, exist_ok=True)
        self.db = sqlite3.connect(self.root / "opencode.db", isolation_level=None)
        self.db.execute("PRAGMA journal_mode=wal")
        self.db.executescript(SCHEMA)
        self.now = 1_772_359_200_000

    def session(self, native: str, **fields: Any) -> None:
        row = {
            "id": native,
            "parent_id": None,
            "directory": "/work",
            "title": "T",
            "version": "1",
            "time_created": self.now,
            "time_updated": self.now,
            **fields,
        }
        self.put("session", row)

    def put(self, table: str, row: dict[str, Any]) -> None:
        names, marks = ",".join(row), ",".join("?" * len(row))
        self.db.execute(
            f"INSERT OR REPLACE INTO {table} ({names}) VALUES ({marks})", [*row.values()]
        )

    def say(self, native: str, role: str, *parts: dict[str, Any], session: str = "s") -> None:
        self.now += 1000
        stamp = {"session_id": session, "time_created": self.now, "time_updated": self.now}
        data = {"role": role, "time": {"created": self.now}, "modelID": "m"}
        self.put("message", {"id": native, **stamp, "data": json.dumps(data)})
        for number, part in enumerate(parts):
            self.part(f"{native}-{number}", native, part, session)

    def part(self, native: str, message: str, part: dict[str, Any], session: str = "s") -> None:
        self.now += 1
        stamp = {"session_id": session, "time_created": self.now, "time_updated": self.now}
        self.put("part", {"id": native, "message_id": message, **stamp, "data": json.dumps(part)})


def text(words: str) -> dict[str, Any]:
    return {"type": "text", "text": words}


class Reader:
    """What sync does with one source: cursor, state, book."""

    def __init__(self, home: Path, book: Any, native: str = "s") -> None:
        self.provider, self.book, self.native, self.home = PROVIDERS["opencode"], book, native, home
        self.cursor: bytes | None = None
        self.state: bytes | None = None
        self.offset = 0

    @property
    def source(self) -> Source:
        found = self.provider.discover(Home(self.home, {}, "test"))
        return next(source for source in found if source.native_id == self.native)

    def read(self) -> int:
        size = 0
        source = self.source
        for delta in self.provider.follow(source, self.cursor):
            assert delta.offset == self.offset
            assert not delta.reset
            parser = self.provider.parser(source, self.state)
            parser.feed(delta.data, delta.offset)
            self.book.take(parser)
            self.cursor, self.state = delta.cursor, parser.state()
            self.offset, size = self.offset + len(delta.data), size + len(delta.data)
        return size

    def said(self) -> list[str]:
        return [turn.text for turn in self.book.turns[self.native]]


@pytest.fixture
def store(tmp_path: Path) -> Any:
    opened = Store(tmp_path)
    yield opened
    opened.db.close()


@pytest.fixture
def reader(tmp_path: Path, make_book: Callable[[], Any]) -> Reader:
    return Reader(tmp_path, make_book())


def test_reads_what_is_new_in_a_live_database_and_then_nothing(
    store: Store, reader: Reader
) -> None:
    store.session("s")
    store.say("m1", "user", text("go"))
    assert reader.read() > 0
    assert reader.read() == 0
    store.say("m2", "assistant", text("gone"))
    assert reader.read() > 0
    assert reader.said() == ["go", "gone"]
    assert reader.book.heads["s"].title == "T"


def test_an_edited_part_is_told_again_in_its_place(store: Store, reader: Reader) -> None:
    store.session("s")
    for number in range(1, 6):
        store.say(f"m{number}", "user", text(str(number)))
    whole = reader.read()
    store.part("m4-0", "m4", text("four"))
    again = reader.read()
    assert reader.said() == ["1", "2", "3", "four", "5"]
    assert 0 < again < whole


def test_what_was_deleted_stays(store: Store, reader: Reader) -> None:
    store.session("s")
    for number in range(1, 4):
        store.say(f"m{number}", "user", text(str(number)))
    reader.read()
    store.db.execute("DELETE FROM message WHERE id IN ('m2', 'm3')")
    store.say("m4", "user", text("4"))
    reader.read()
    assert reader.said() == ["1", "2", "3", "4"]


def test_a_new_title_costs_one_line(store: Store, reader: Reader) -> None:
    store.session("s")
    store.say("m1", "user", text("go"))
    reader.read()
    store.session("s", title="Better", time_updated=store.now + 1)
    assert reader.read() > 0
    assert reader.book.heads["s"].title == "Better"
    assert reader.said() == ["go"]


def test_a_session_in_two_stores_is_one(
    data: Path, tmp_path: Path, make_book: Callable[[], Any]
) -> None:
    shutil.copytree(data / "opencode", tmp_path, dirs_exist_ok=True)
    store = Store(tmp_path)
    store.session("ses_1")
    store.say("msg_1", "user", text("Count the frogs, as migrated."), session="ses_1")
    store.say("msg_3", "user", text("Only in the database."), session="ses_1")
    reader = Reader(tmp_path, make_book(), "ses_1")
    reader.read()
    prompts = [turn.text for turn in reader.book.turns["ses_1"] if turn.role == "user"]
    assert prompts == ["Count the frogs, as migrated.", "Only in the database."]
    assert any(turn.text == "Seven." for turn in reader.book.turns["ses_1"]), "only in the tree"
    found = [s.native_id for s in reader.provider.discover(Home(tmp_path, {}))]
    assert sorted(found) == ["ses_0", "ses_1"]
    store.db.close()


def test_a_session_that_left_all_stores_is_said_to_be_gone(store: Store, reader: Reader) -> None:
    store.session("s")
    store.say("m1", "user", text("go"))
    source = reader.source
    reader.read()
    store.db.execute("DELETE FROM session")
    with pytest.raises(UnreadableSessionError, match="what was archived stays"):
        list(reader.provider.follow(source, reader.cursor))


def test_a_database_that_is_none_hides_no_other_store(
    data: Path, tmp_path: Path, read_home: Any
) -> None:
    shutil.copytree(data / "opencode", tmp_path, dirs_exist_ok=True)
    (tmp_path / ".local" / "share" / "opencode" / "opencode.db").write_bytes(b"not a database")
    provider = PROVIDERS["opencode"]
    sources = {source.native_id: source for source in provider.discover(Home(tmp_path, {}))}
    assert set(sources) == {None, "ses_0", "ses_1"}
    assert list(provider.follow(sources["ses_1"]))
    with pytest.raises(UnreadableSessionError, match=r"opencode\.db"):
        list(provider.follow(sources[None]))


def test_a_message_that_is_damaged_later_takes_nothing_away(data: Path, tmp_path: Path) -> None:
    shutil.copytree(data / "opencode", tmp_path / "home")
    parts = list((tmp_path / "home").rglob("prt_*.json"))
    with Archive.open(tmp_path / "archive") as archive:
        homes = [Home(tmp_path / "home", {})]
        sync_homes(archive, homes, agent="opencode")
        before = {summary.id: archive.get(summary.id).turns for summary in archive.scan()}
        assert before
        for part in parts:
            part.write_text('{"type": "te')
        report = sync_homes(archive, homes, agent="opencode")
        assert report.unreadable
        assert "is no JSON object any more" in report.unreadable[0][1]
        assert {summary.id: archive.get(summary.id).turns for summary in archive.scan()} == before
