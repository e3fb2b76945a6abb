"""Conversations that their agents lost come back byte for byte, and nothing else changes."""

import json
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import msgspec
import pytest
from tests.factories.archive import Result, conversation
from tests.factories.session_files import claude_session

from dejavu.archive import Archive
from dejavu.config.paths import archive_location
from dejavu.ingest.channel import SOURCES
from dejavu.ingest.importer import Importer
from dejavu.model import Relation, Role, Text, Turn, Vector
from dejavu.providers import PROVIDERS, RESTORERS, Home
from dejavu.providers.spilled import LONGEST
from dejavu.services.undelete import record
from dejavu.services.undelete.carry_out import carry_out, take_back
from dejavu.services.undelete.plan import make_plan

HOMES = Path(__file__).parents[2] / "factories" / "data" / "homes"
WITH_FILES = [name for name in RESTORERS if (HOMES / name).is_dir() and name != "opencode"]
SESSION = "11111111-1111-4111-8111-111111111111"


def tree(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def archive_home(agent: str, home: Path) -> list[str]:
    """Archive a copy of the agent's fixture in this home; the main conversations' ids."""
    for entry in (HOMES / agent).iterdir():
        if entry.name != "expected.txt":
            shutil.copytree(entry, home / entry.name)
    with Archive.open(archive_location()) as archive:
        with Importer(archive) as importer:
            for source in PROVIDERS[agent].discover(Home(home, {})):
                importer.read(PROVIDERS[agent], source)
        return [
            one.id for one in archive.scan(agent=agent) if one.relation is not Relation.SUBAGENT
        ]


def undelete(identity: str, home: Path) -> None:
    with Archive.open(archive_location()) as archive:
        carry_out(make_plan(archive, identity, Home(home, {})))


@pytest.fixture
def agents_home(home: Path, tmp_path: Path) -> Path:
    """A home of an agent, apart from ours."""
    folder = tmp_path / "agents-home"
    folder.mkdir()
    return folder


@pytest.fixture
def claude(agents_home: Path) -> tuple[Path, str]:
    """A home whose sessions are archived, and the id of the one with a sub-agent."""
    identities = archive_home("claude", agents_home)
    with Archive.open(archive_location()) as archive:
        (identity,) = (one for one in identities if archive.summary(one).native_id == SESSION)
    return agents_home, identity


@pytest.mark.parametrize("agent", WITH_FILES)
def test_a_home_thrown_away_comes_back_byte_for_byte(agent: str, agents_home: Path) -> None:
    identities = archive_home(agent, agents_home)
    before = tree(agents_home)
    shutil.rmtree(agents_home)
    for identity in identities:
        undelete(identity, agents_home)
    after = tree(agents_home)
    shared = {"session_index.jsonl", "projects.json", ".project_root", "taskHistory.json"}
    lost = {name for name in before if Path(name).name not in shared}
    assert {name for name in lost if after.get(name) != before[name]} == set()
    assert {name for name in after if name not in before and Path(name).name not in shared} == set()


@pytest.mark.parametrize("agent", WITH_FILES)
def test_what_is_there_is_left_alone(agent: str, agents_home: Path) -> None:
    identities = archive_home(agent, agents_home)
    for identity in identities:
        undelete(identity, agents_home)
    before = tree(agents_home)
    for identity in identities:
        with Archive.open(archive_location()) as archive:
            plan = make_plan(archive, identity, Home(agents_home, {}))
        assert {step.state for step in plan.steps} == {"there"}
    assert tree(agents_home) == before


@pytest.mark.parametrize("agent", WITH_FILES)
def test_taking_back_leaves_the_home_as_it_was(agent: str, agents_home: Path) -> None:
    identities = archive_home(agent, agents_home)
    shutil.rmtree(agents_home)
    (agents_home / "mine").mkdir(parents=True)
    for identity in identities:
        undelete(identity, agents_home)
    for identity in reversed(identities):
        assert take_back(identity)[1] == []
        assert record.load(identity) is None
    assert [path.name for path in agents_home.rglob("*")] == ["mine"]


def test_private_modes(claude: tuple[Path, str]) -> None:
    home, identity = claude
    shutil.rmtree(home / ".claude")
    undelete(identity, home)
    for path in (home / ".claude").rglob("*"):
        assert path.stat().st_mode & 0o777 == (0o700 if path.is_dir() else 0o600)


def test_a_file_that_differs_is_refused_and_both_are_shown(
    claude: tuple[Path, str], dejavu: Callable[..., Result]
) -> None:
    home, identity = claude
    path = home / f".claude/projects/-work-pond/{SESSION}.jsonl"
    data = bytearray(path.read_bytes())
    data[100] ^= 1
    path.write_bytes(data)
    before = tree(home)
    done = dejavu("undelete", identity, "--to", str(home), "-y")
    assert done.code == 1
    assert f"differs  {path}" in done.out
    assert "first difference at byte 100" in done.out
    assert tree(home) == before
    found = dejavu("undelete", identity, "--to", str(home), "-y", "--json")
    (step,) = [step for step in found.json["steps"] if step["state"] == "differs"]
    assert (step["differs_at"], step["size"], step["size_there"]) == (100, len(data), len(data))
    assert step["sha256"] != step["sha256_there"]


def test_a_session_that_went_on_is_all_there(claude: tuple[Path, str]) -> None:
    home, identity = claude
    path = home / f".claude/projects/-work-pond/{SESSION}.jsonl"
    with path.open("ab") as file:
        file.write(b'{"type":"mode"}\n')
    (path.with_suffix("") / "subagents/agent-a1b2.meta.json").write_text('{"description":"new"}')
    before = tree(home)
    with Archive.open(archive_location()) as archive:
        plan = make_plan(archive, identity, Home(home, {}))
        assert {step.state for step in plan.steps} == {"there"}
        carry_out(plan)
    assert tree(home) == before


def test_a_sub_agents_id_brings_back_the_whole_session(claude: tuple[Path, str]) -> None:
    home, identity = claude
    with Archive.open(archive_location()) as archive:
        below = next(one.id for one in archive.scan() if one.parent == identity)
    before = tree(home)
    shutil.rmtree(home / ".claude/projects/-work-pond" / SESSION)
    (home / f".claude/projects/-work-pond/{SESSION}.jsonl").unlink()
    undelete(below, home)
    assert tree(home) == before


def test_a_copy_has_a_new_id_in_its_names_and_bytes(
    claude: tuple[Path, str], dejavu: Callable[..., Result]
) -> None:
    home, identity = claude
    before = tree(home)
    done = dejavu("undelete", identity, "--to", str(home), "--as-copy", "-y", "--json")
    new_id = done.json["native_id"]
    added = {name: data for name, data in tree(home).items() if name not in before}
    assert {name: data for name, data in tree(home).items() if name in before} == before
    assert added
    for name, data in added.items():
        assert new_id in name
        assert SESSION.encode() not in data
        assert (
            data.replace(new_id.encode(), SESSION.encode()) == before[name.replace(new_id, SESSION)]
        )


def test_another_folder_moves_the_file_and_keeps_its_bytes(
    claude: tuple[Path, str], dejavu: Callable[..., Result]
) -> None:
    home, identity = claude
    data = (home / f".claude/projects/-work-pond/{SESSION}.jsonl").read_bytes()
    shutil.rmtree(home / ".claude")
    done = dejavu("undelete", identity, "--to", str(home), "-y", "--folder", "/work=/home/bob/w")
    assert done.code == 0
    assert (home / f".claude/projects/-home-bob-w-pond/{SESSION}.jsonl").read_bytes() == data
    assert "/home/bob/w/pond is not here" in done.err


def test_a_dry_run_writes_nothing(claude: tuple[Path, str], dejavu: Callable[..., Result]) -> None:
    home, identity = claude
    shutil.rmtree(home / ".claude")
    done = dejavu("undelete", identity, "--to", str(home), "--dry-run")
    assert (done.code, done.out.count("create")) == (0, 4)
    assert tree(home) == {}
    assert record.load(identity) is None
    refused = dejavu("undelete", identity, "--to", str(home))
    assert (refused.code, tree(home)) == (2, {})


def test_turns_without_bytes_are_refused_and_handoff_is_named(
    home: Path, dejavu: Callable[..., Result]
) -> None:
    turn = Turn(role=Role.USER, parts=(Text("hi"),), vector=Vector.HOOK)
    held = conversation("s-9", "claude", "/work", 1.0, turn)
    with Archive.open(archive_location()) as archive:
        archive.put(held)
    done = dejavu("undelete", held.id, "-y")
    assert done.code == 3
    assert "hook" in done.err
    assert f"dejavu code handoff {held.id}" in done.err


SCHEMA = """
CREATE TABLE project (id TEXT PRIMARY KEY, worktree TEXT NOT NULL, vcs TEXT,
  time_created INTEGER NOT NULL, time_updated INTEGER NOT NULL, sandboxes TEXT NOT NULL);
CREATE TABLE session (id TEXT PRIMARY KEY, project_id TEXT NOT NULL REFERENCES project(id),
  parent_id TEXT, slug TEXT NOT NULL, directory TEXT NOT NULL, path TEXT, title TEXT NOT NULL,
  version TEXT NOT NULL, cost REAL DEFAULT 0 NOT NULL, time_created INTEGER NOT NULL,
  time_updated INTEGER NOT NULL);
CREATE TABLE message (id TEXT PRIMARY KEY, session_id TEXT NOT NULL REFERENCES session(id)
  ON DELETE CASCADE, time_created INTEGER NOT NULL, time_updated INTEGER NOT NULL, data TEXT NOT NULL);
CREATE TABLE part (id TEXT PRIMARY KEY, message_id TEXT NOT NULL REFERENCES message(id)
  ON DELETE CASCADE, session_id TEXT NOT NULL, time_created INTEGER NOT NULL,
  time_updated INTEGER NOT NULL, data TEXT NOT NULL);
INSERT INTO project VALUES ('global', '/', NULL, 1, 1, '[]');
"""
ROWS = """
INSERT INTO session VALUES ('ses_1', 'global', NULL, 'calm', '/work/pond', 'work/pond', 'Frogs', '1', 0, 5, 9);
INSERT INTO session VALUES ('ses_2', 'global', 'ses_1', 'low', '/work/pond', 'work/pond', 'Sub', '1', 0, 6, 9);
INSERT INTO message VALUES ('msg_1', 'ses_1', 5, 6, '{"role":"user","time":{"created":5}}');
INSERT INTO message VALUES ('msg_2', 'ses_1', 7, 9, '{"role":"assistant","time":{"created":7}}');
INSERT INTO message VALUES ('msg_3', 'ses_2', 8, 8, '{"role":"user","time":{"created":8}}');
INSERT INTO part VALUES ('prt_1', 'msg_1', 'ses_1', 5, 6, '{"type":"text","text":"Count \u2603 frogs"}');
INSERT INTO part VALUES ('prt_2', 'msg_2', 'ses_1', 7, 9, '{"type":"text","text":"Two"}');
INSERT INTO part VALUES ('prt_3', 'msg_3', 'ses_2', 8, 8, '{"type":"text","text":"Look"}');
"""


@pytest.mark.parametrize(
    "place",
    [
        "/home/x/.claude/projects/../../.bashrc",
        "/home/x/.claude/projects/-shop/../../CLAUDE.md",
        "/home/x/.claude/projects/-shop/../../../../../../tmp/outside",
        "/home/x/.claude/projects/-shop/a\x1b]0;title\x07.jsonl",
        "/home/x/.claude/projects/-shop/a\0.jsonl",
        "/home/x/.claude/projects/-shop/memory/MEMORY.md",
        "/home/x/.claude/settings.json",
    ],
)
def test_a_path_that_leads_out_of_the_agents_folder_is_refused(
    place: str, claude: tuple[Path, str], dejavu: Callable[..., Result]
) -> None:
    """A colleague in a shared archive, or the maker of a backup, wrote the path down."""
    folder, identity = claude
    shutil.rmtree(folder / ".claude")
    with Archive.open(archive_location()) as archive:
        sources = archive.namespace(SOURCES)
        for key in archive.sources.of(identity):
            record = msgspec.msgpack.decode(sources.get(key.encode()) or b"")
            record["path"] = place
            sources.put(key.encode(), msgspec.msgpack.encode(record))
    done = dejavu("undelete", identity, "-y", "--to", str(folder))
    assert done.code == 1
    assert "missing" in done.out
    assert "\x1b]" not in done.out + done.err
    assert tree(folder) == {}


@pytest.fixture
def database(agents_home: Path) -> tuple[Path, str]:
    """A database of sessions that is archived, and the id of the main one."""
    path = agents_home / ".local/share/opencode/opencode.db"
    path.parent.mkdir(parents=True)
    run_sql(path, SCHEMA + ROWS)
    provider = PROVIDERS["opencode"]
    with Archive.open(archive_location()) as archive:
        with Importer(archive) as importer:
            for source in provider.discover(Home(agents_home, {})):
                importer.read(provider, source)
        (identity,) = (one.id for one in archive.scan() if one.parent is None)
    return path, identity


def run_sql(path: Path, script: str) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(script)


def rows_of(path: Path) -> dict[str, list[tuple[object, ...]]]:
    """All rows, but for the times of parts and changes, which are not archived."""
    queries = {
        "project": "SELECT * FROM project",
        "session": "SELECT * FROM session ORDER BY id",
        "message": "SELECT id, session_id, time_created, data FROM message ORDER BY id",
        "part": "SELECT id, message_id, session_id, data FROM part ORDER BY id",
    }
    with closing(sqlite3.connect(path)) as connection:
        return {table: connection.execute(query).fetchall() for table, query in queries.items()}


def test_rows_of_a_database_come_back_with_those_of_sub_agents(
    agents_home: Path, database: tuple[Path, str]
) -> None:
    path, identity = database
    before = rows_of(path)
    run_sql(path, "PRAGMA foreign_keys = ON; DELETE FROM session")
    undelete(identity, agents_home)
    assert rows_of(path) == before
    assert take_back(identity) == ([path], [])
    assert rows_of(path) == {**{table: [] for table in before}, "project": before["project"]}


def test_rows_that_differ_are_refused(
    agents_home: Path, database: tuple[Path, str], dejavu: Callable[..., Result]
) -> None:
    path, identity = database
    run_sql(
        path, "UPDATE part SET data = '{}' WHERE id = 'prt_1'; DELETE FROM part WHERE id = 'prt_3'"
    )
    before = rows_of(path)
    done = dejavu("undelete", identity, "--to", str(agents_home), "-y")
    assert (done.code, "part prt_1" in done.out) == (1, True)
    assert rows_of(path) == before


def test_a_database_that_is_not_there_is_for_the_agent_to_make(
    agents_home: Path, database: tuple[Path, str], dejavu: Callable[..., Result]
) -> None:
    path, identity = database
    path.unlink()
    done = dejavu("undelete", identity, "--to", str(agents_home), "-y")
    assert done.code == 1
    assert "opencode session list" in done.out
    assert tree(agents_home) == {}


def test_rows_for_another_folder(agents_home: Path, database: tuple[Path, str]) -> None:
    path, identity = database
    run_sql(path, "PRAGMA foreign_keys = ON; DELETE FROM session")
    with Archive.open(archive_location()) as archive:
        folders = (("/work", "/home/bob"),)
        carry_out(make_plan(archive, identity, Home(agents_home, {}), folders=folders))
    assert {row[4:6] for row in rows_of(path)["session"]} == {("/home/bob/pond", "home/bob/pond")}


def test_an_output_of_which_the_end_was_not_archived_is_left_out_and_named(
    home: Path, agents_home: Path, dejavu: Callable[..., Result]
) -> None:
    log = claude_session(agents_home, "one")
    folder = log.with_suffix("") / "tool-results"
    folder.mkdir(parents=True)
    for name, size in (("long.txt", LONGEST + 1), ("short.txt", 9)):
        (folder / name).write_bytes(b"x" * size)
        shown = f"<persisted-output>\nOutput too large. Full output saved to: {folder / name}\n\nx"
        block = {"type": "tool_result", "tool_use_id": name, "content": shown}
        record = {"type": "user", "uuid": name, "message": {"role": "user", "content": [block]}}
        with log.open("a") as file:
            file.write(json.dumps(record) + "\n")
    before = tree(agents_home)
    assert dejavu("sync", "--home", str(agents_home)).code == 0
    there = dejavu("undelete", "last", "--to", str(agents_home), "--json").json
    assert {step["state"] for step in there["steps"]} == {"there"}
    shutil.rmtree(agents_home / ".claude")
    done = dejavu("undelete", "last", "--to", str(agents_home), "-y")
    assert done.code == 0, done.err
    assert f"partial  {folder}/long.txt" in done.out
    assert "1 tool output of more than 16 MiB left out" in done.err
    long = next(name for name in before if name.endswith("long.txt"))
    assert tree(agents_home) == {name: data for name, data in before.items() if name != long}
