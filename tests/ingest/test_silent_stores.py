"""Stores that give no conversation are named and kept; what parses or is empty raises no alarm."""

import json
import os
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from tests.factories.archive import Result
from tests.factories.session_files import claude_session

from dejavu.archive import Archive
from dejavu.archive.access import open_archive
from dejavu.ingest import silent_stores as module
from dejavu.ingest.final_sync import sync_final
from dejavu.ingest.find_homes import find_homes
from dejavu.ingest.silent_stores import silent_stores
from dejavu.ingest.sync import sync_homes
from dejavu.interfaces.doctor.capture import unread
from dejavu.providers import Home
from dejavu.providers.unread_stores import known_unread

DATA = Path(__file__).parents[1] / "factories" / "data" / "homes"
UNREAD = {agent.name for agent in known_unread()}

PROMPT = '{"messages":[{"role":"user","content":"Count the frogs."}]}'
ZENCODER = {
    "unknown records": (
        "s.jsonl",
        '{"kind":"said","payload":{"a":"frogs"}}\n{"kind":"end","payload":{}}\n',
    ),
    "records in an envelope": (
        "s.jsonl",
        '{"event":"message","data":{"role":"user","content":"frogs"}}\n',
    ),
    "text": ("s.jsonl", "Count the frogs.\n"),
    "another ending": ("s.json", PROMPT),
    "another layout": ("2026/11/s.jsonl", '{"kind":"said","payload":{"a":"frogs"}}\n'),
}
FORGE: dict[str, str] = {
    "another table": "ALTER TABLE conversations RENAME TO talks",
    "another column": "ALTER TABLE conversations RENAME COLUMN context TO body",
    "no JSON": f"UPDATE conversations SET context = '{'Count the frogs. ' * 20}'",
    "another shape": 'UPDATE conversations SET context = \'{"turns":["Count the frogs, all of them."]}\'',
    "unknown messages": 'UPDATE conversations SET context = \'{"messages":[{"frog":"Count"}]}\'',
}


def final(home: Path, folder: Path) -> tuple[dict[str, str], set[bytes]]:
    """What a last sync names, and every source's raw bytes."""
    with Archive.open(folder / "archive") as archive:
        report = sync_final(archive, [Home(home, {}, "box")])
        raw = {b"".join(archive.sources.raw(key)) for key in archive.sources.all_keys()}
    return dict(report.unreadable), raw


def zencoder(home: Path, name: str) -> Path:
    place, text = ZENCODER[name]
    path = home / ".zencoder" / "sessions" / place
    path.parent.mkdir(parents=True)
    path.write_text(text)
    return path


def forge(home: Path, statement: str = "") -> Path:
    shutil.copytree(DATA / "forge", home)
    path = home / "forge" / ".forge.db"
    if statement:
        with closing(sqlite3.connect(path)) as connection:
            connection.execute(statement)
            connection.commit()
    return path


@pytest.mark.parametrize("name", ZENCODER)
def test_a_session_that_nobody_understands_is_named_and_kept(name: str, tmp_path: Path) -> None:
    path = zencoder(tmp_path / "home", name)
    named, raw = final(tmp_path / "home", tmp_path)
    assert "Zencoder" in named[str(path)]
    assert path.read_bytes() in raw


@pytest.mark.parametrize("name", FORGE)
def test_a_database_that_nobody_understands_is_named_and_kept(name: str, tmp_path: Path) -> None:
    path = forge(tmp_path / "home", FORGE[name])
    named, raw = final(tmp_path / "home", tmp_path)
    assert "Forge" in named[str(path)]
    assert "archived as they are" in named[str(path)]
    assert any(one.startswith(b"SQLite format 3") for one in raw)


@pytest.mark.parametrize("size", [900, 3000])
def test_a_broken_database_is_named_once_and_its_bytes_are_kept(size: int, tmp_path: Path) -> None:
    path = forge(tmp_path / "home")
    path.write_bytes(path.read_bytes()[:size] + os.urandom(64))
    named, raw = final(tmp_path / "home", tmp_path)
    assert "archived as they are" in named[str(path)]
    assert any(one.startswith(path.read_bytes()) for one in raw)  # SQLite fills the last page


def test_a_file_larger_than_the_limit_is_named_with_the_limit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "KEPT", 1_000_000)
    path = zencoder(tmp_path / "home", "another ending")
    path.write_text(PROMPT + " " * 1_000_000)
    named, raw = final(tmp_path / "home", tmp_path)
    assert "larger than 1 MB" in named[str(path)]
    assert path.read_bytes() not in raw


def test_what_was_kept_costs_nothing_the_second_time(tmp_path: Path) -> None:
    forge(tmp_path / "home", FORGE["another table"])
    with Archive.open(tmp_path / "archive") as archive:
        home = Home(tmp_path / "home", {}, "box")
        assert sync_final(archive, [home]).unreadable == sync_final(archive, [home]).unreadable
        assert len(archive.sources.all_keys()) == 1


@pytest.mark.parametrize("home", sorted(DATA.iterdir()), ids=lambda home: home.name)
def test_a_home_that_parses_raises_no_alarm(home: Path, tmp_path: Path) -> None:
    with Archive.open(tmp_path / "archive") as archive:
        sync_homes(archive, [Home(home, {}, "box")])
        found = [one.agent for one in silent_stores(archive, Home(home, {}, "box"))]
    assert found == ([home.name] if home.name in UNREAD else [])


@pytest.mark.shared
def test_recorded_homes_raise_no_alarm(shared: Path, tmp_path: Path) -> None:
    homes = sorted((shared / "data" / "recordings").glob("*/*/native"))
    assert len(homes) > 20
    for number, folder in enumerate(homes):
        home = Home(folder, {}, "box")
        with Archive.open(tmp_path / str(number)) as archive:
            sync_homes(archive, [home])
            assert list(silent_stores(archive, home)) == [], folder


def test_agents_that_were_installed_and_never_used_raise_no_alarm(tmp_path: Path) -> None:
    home = tmp_path / "home"
    for place, text in {
        ".claude/history.jsonl": '{"display":"/login","timestamp":1}\n',
        ".claude/plugins/market/sessions/example.jsonl": PROMPT,
        ".claude/projects/-w/empty.jsonl": "",
        ".claude/projects/-w/s.jsonl": '{"type":"summary","summary":"Frogs","leafUuid":"a"}\n',
        ".codex/config.toml": 'model = "x"\n',
        ".codex/auth.json": '{"OPENAI_API_KEY":"none"}',
        ".codex/history.jsonl": '{"session_id":"s","ts":1,"text":"/status"}\n',
        ".cursor/projects/w/mcp-cache.json": '{"tools":[{"name":"read","description":"text"}]}',
        ".gemini/tmp/x/logs.json": "[]",
        ".zencoder/settings.json": '{"theme":"dark"}',
        ".forge/config.json": '{"model":"x"}',
        ".config/Code/User/workspaceStorage/a/chatSessions/1.json": '{"version":3,"requests":[]}',
    }.items():
        path = home / place
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    forge_database = home / "forge" / ".forge.db"
    forge_database.parent.mkdir()
    with closing(sqlite3.connect(forge_database)) as connection:
        connection.executescript(
            "CREATE TABLE conversations (conversation_id TEXT, context TEXT, updated_at TEXT);"
            "CREATE TABLE __migrations (version TEXT, hash TEXT);"
            f"INSERT INTO __migrations VALUES ('1', '{'a' * 64}');"
            "INSERT INTO conversations VALUES ('c', NULL, '2026-11-21');"
        )
        connection.commit()
    (home / ".zencoder" / "sessions").mkdir()
    with Archive.open(tmp_path / "archive") as archive:
        report = sync_final(archive, [Home(home, {}, "box")])
        assert report.unreadable == []


def test_the_commands_fail_and_never_say_that_nothing_was_left(
    dejavu: Callable[..., Result], home: Path
) -> None:
    claude_session(home, "one")
    path = zencoder(home, "another layout")
    for command in (("sync", "--final"), ("rescue", str(home))):
        result = dejavu(*command)
        assert result.code == 1
        assert str(path) in result.err
        assert "nothing was left behind" not in result.out + result.err
    path.unlink()
    result = dejavu("sync", "--final")
    assert (result.code, "nothing was left behind" in result.out) == (0, True)


def test_rescue_finds_a_home_that_holds_nothing_else(tmp_path: Path) -> None:
    zencoder(tmp_path / "fleet" / "box", "another ending")
    assert [home.instance for home in find_homes(tmp_path / "fleet")] == ["box"]


def test_doctor_names_it(home: Path) -> None:
    assert list(unread()) == []
    path = zencoder(home, "unknown records")
    other = zencoder(home.parent, "another ending").rename(home / ".zencoder" / "s.json")
    with open_archive(write=True) as archive:
        sync_homes(archive, [Home.own()])
    (finding,) = unread()
    assert "Zencoder" in finding.message
    assert [store["path"] for store in finding.facts["stores"]] == [str(path)]
    other.unlink()


def test_a_session_with_answers_beside_unknown_records_is_no_alarm(tmp_path: Path) -> None:
    path = claude_session(tmp_path, "one")
    with path.open("a") as file:
        file.write(json.dumps({"type": "frogs", "leap": 1}) + "\n")
    with Archive.open(tmp_path / "archive") as archive:
        assert sync_final(archive, [Home(tmp_path, {}, "box")]).unreadable == []


@pytest.mark.parametrize("name", ["auggie", "continue", "roo", "warp", "codebuff", "hermes"])
def test_stores_that_the_drill_found_unnamed_are_named(name: str, tmp_path: Path) -> None:
    """A later version's keys in documents, tables and folders."""
    home = tmp_path / "home"
    shutil.copytree(DATA / name, home)
    for path in [path for path in home.rglob("*") if path.is_file() and path.parent != home]:
        if path.read_bytes().startswith(b"SQLite"):
            with closing(sqlite3.connect(path)) as connection:
                rows = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
                for (table,) in rows.fetchall():
                    if not table.startswith("sqlite_") and "fts" not in table:
                        connection.execute(f'ALTER TABLE "{table}" RENAME TO "{table}_v2"')
                connection.commit()
        else:
            path.write_bytes(path.read_bytes().replace(b'":', b'_":'))
            os.utime(path, (1_795_000_000, 1_795_000_000))
    assert final(home, tmp_path)[0]


def test_a_log_of_frames_has_no_torn_line(tmp_path: Path) -> None:
    assert final(DATA / "reasonix", tmp_path)[0] == {}
