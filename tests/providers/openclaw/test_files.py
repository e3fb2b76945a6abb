"""OpenClaw's database: its sessions, followed by row, before the files of older versions."""

import shutil
import sqlite3
from pathlib import Path

import pytest

from dejavu.model import UnreadableSessionError
from dejavu.providers import PROVIDERS, Home, Kind, Source

from ..conftest import DATA

OPENCLAW = PROVIDERS["openclaw"]


@pytest.fixture
def home(tmp_path: Path) -> Path:
    shutil.copytree(DATA / "openclaw", tmp_path / "home")
    return tmp_path / "home"


def stored(home: Path) -> Source:
    """The session in the database."""
    (source,) = (one for one in OPENCLAW.discover(Home(home, {})) if one.kind is Kind.DATABASE)
    return source


def change(source: Source, statement: str, *values: object) -> None:
    with sqlite3.connect(source.path) as connection:
        connection.execute(statement, values)
    connection.close()


def test_a_new_entry_is_appended(home: Path) -> None:
    source = stored(home)
    (first,) = OPENCLAW.follow(source)
    entry = '{"type":"message","id":"n","message":{"role":"user","content":"and?"}}'
    insert = "INSERT INTO transcript_events (session_id, seq, event_json, created_at) VALUES (?, 99, ?, 1)"
    change(source, insert, source.native_id, entry)
    (second,) = OPENCLAW.follow(source, first.cursor)
    assert (second.data.decode(), second.reset) == (entry + "\n", False)


def test_an_entry_that_cannot_be_unpacked_is_counted(home: Path) -> None:
    source = stored(home)
    change(source, "UPDATE transcript_events SET event_zstd = x'00ff' WHERE event_zstd IS NOT NULL")
    parser = OPENCLAW.parser(source)
    for delta in OPENCLAW.follow(source):
        parser.feed(delta.data, delta.offset)
    assert sum(parser.drift.values()) == 1


def test_a_session_that_was_deleted_keeps_what_was_archived(home: Path) -> None:
    source = stored(home)
    (first,) = OPENCLAW.follow(source)
    change(source, "DELETE FROM transcript_events")
    with pytest.raises(UnreadableSessionError, match="what was archived stays"):
        list(OPENCLAW.follow(source, first.cursor))


def test_a_session_in_both_is_read_from_the_database(home: Path) -> None:
    source = stored(home)
    folder = home / ".openclaw/agents/main/sessions"
    shutil.copy(next(folder.glob("*.jsonl")), folder / f"{source.native_id}.jsonl")
    found = [one for one in OPENCLAW.discover(Home(home, {})) if one.native_id == source.native_id]
    assert found == [source]


def test_a_damaged_database_is_named(home: Path) -> None:
    path = stored(home).path
    path.write_bytes(b"SQLite format 3\0" + b"\0" * 4096)
    (source,) = (one for one in OPENCLAW.discover(Home(home, {})) if one.kind is Kind.DATABASE)
    with pytest.raises(UnreadableSessionError, match="openclaw-agent"):
        list(OPENCLAW.follow(source))
