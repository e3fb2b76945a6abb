"""Claude Code's files: found with the forks among them, and followed while they grow."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from dejavu.providers import PROVIDERS, Home
from dejavu.providers.claude.files import facts, sessions

ONE = "11111111-1111-4111-8111-111111111111"
TWO = "22222222-2222-4222-8222-222222222222"


def write(path: Path, records: list[dict[str, Any]]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return path


def user(n: int, words: str) -> dict[str, Any]:
    return {"type": "user", "uuid": f"u{n}", "message": {"role": "user", "content": words}}


def test_honours_the_folder_variable(tmp_path: Path) -> None:
    write(tmp_path / "moved" / "projects" / "-p" / f"{ONE}.jsonl", [user(1, "a")])
    home = Home(tmp_path, {"CLAUDE_CONFIG_DIR": str(tmp_path / "moved")}, "x", "/given")
    (source,) = sessions(home)
    assert (source.native_id, source.workspace) == (ONE, "/given")
    write(tmp_path / ".config" / "claude" / "projects" / "-p" / f"{TWO}.jsonl", [user(1, "a")])
    assert [source.native_id for source in sessions(Home(tmp_path, {}))] == [TWO]


def test_a_copied_session_is_one_and_a_different_one_under_its_name_another(tmp_path: Path) -> None:
    root = tmp_path / ".claude" / "projects"
    first = write(root / "-a" / f"{ONE}.jsonl", [user(1, "a"), user(2, "b")])
    write(root / "-b" / f"{ONE}.jsonl", [user(1, "a")])
    (source,) = sessions(Home(tmp_path, {}))
    assert source.path == first
    write(root / "-b" / f"{ONE}.jsonl", [user(8, "quite another")])
    found = list(sessions(Home(tmp_path, {})))
    assert [source.native_id for source in found] == [ONE, f"{ONE}@-b"]
    assert len({source.key for source in found}) == 2


def test_a_renamed_project_is_the_same_source(tmp_path: Path) -> None:
    root = tmp_path / ".claude" / "projects"
    write(root / "-a" / f"{ONE}.jsonl", [user(1, "a")])
    (before,) = sessions(Home(tmp_path, {}))
    (root / "-a").rename(root / "-b")
    (after,) = sessions(Home(tmp_path, {}))
    assert after.key == before.key
    assert after.path != before.path


def test_a_fork_is_told_with_where_its_own_records_begin(data: Path, tmp_path: Path) -> None:
    shutil.copytree(data / "claude", tmp_path, dirs_exist_ok=True)
    sources = {source.native_id: source for source in sessions(Home(tmp_path, {}))}
    told = facts(sources[TWO], {})
    assert told["fork_of"] == ONE
    assert b"In the fork" in sources[TWO].path.read_bytes()[told["own_from"] :].splitlines()[0]
    assert facts(sources[ONE], {}) == {"fork_of": None}
    assert facts(sources[TWO], {"fork_of": None}) == {}, "what was found once stays"


def test_a_fork_without_its_parent_keeps_everything(
    data: Path, tmp_path: Path, read_home: Any
) -> None:
    shutil.copytree(data / "claude", tmp_path, dirs_exist_ok=True)
    next((tmp_path / ".claude" / "projects").rglob(f"{ONE}.jsonl")).unlink()
    assert read_home("claude", tmp_path).turns[TWO][0].text == "How many frogs are in the pond?"


def test_closed_folders_and_strange_entries_are_passed_over(tmp_path: Path) -> None:
    root = tmp_path / ".claude" / "projects"
    (root / "-a" / f"{ONE}.jsonl").mkdir(parents=True)
    (root / "a file").write_text("x")
    (root / "-a" / "notes.txt").write_text("x")
    assert list(PROVIDERS["claude"].discover(Home(tmp_path, {}))) == []


def test_a_fork_that_is_still_being_copied_is_looked_at_again(data: Path, tmp_path: Path) -> None:
    """Its copied records that come later are not its own."""
    shutil.copytree(data / "claude", tmp_path, dirs_exist_ok=True)
    (source,) = (one for one in sessions(Home(tmp_path, {})) if one.native_id == TWO)
    whole = source.path.read_bytes()
    expected = facts(source, {})
    source.path.write_bytes(b"".join(whole.splitlines(keepends=True)[:3]))
    first = facts(source, {})
    source.path.write_bytes(whole)
    assert first["own_from"] < expected["own_from"]
    assert {**first, **facts(source, first)} == expected
    # What stands between the copied records later on does not make it the parent.
    between = whole.splitlines(keepends=True)
    source.path.write_bytes(b"".join(line + b'{"type":"brand.new"}\n' * 9 for line in between))
    own_from = facts(source, first)["own_from"]
    assert b"In the fork" in source.path.read_bytes()[own_from:].splitlines()[0]


def test_appends_cost_what_was_appended(
    data: Path, tmp_path: Path, make_book: Callable[[], Any]
) -> None:
    provider = PROVIDERS["claude"]
    shutil.copytree(data / "claude", tmp_path, dirs_exist_ok=True)
    path = next((tmp_path / ".claude" / "projects" / "-work-pond").glob("1111*.jsonl"))
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:4]))
    (source,) = (s for s in provider.discover(Home(tmp_path, {}, "test")) if s.path == path)
    book, cursor, state, told = make_book(), None, None, []
    for count in range(4, len(lines) + 1):
        path.write_bytes(b"".join(lines[:count]))
        for delta in provider.follow(source, cursor):
            parser = provider.parser(source, state)
            parser.feed(delta.data, delta.offset)
            told.append(book.take(parser))
            cursor, state = delta.cursor, parser.state()
    expected = (data / "claude" / "expected.txt").read_text("utf-8")
    main = "\n".join(book.shown()).splitlines()[:15]
    assert main[0].startswith("# 1111")
    assert all(line in expected.splitlines() for line in main)
    assert max(told[1:]) <= 2


@pytest.mark.shared
def test_the_recordings_hold_their_prompts(shared: Path, read_home: Any) -> None:
    homes = sorted((shared / "data" / "recordings").glob("claude*/tour-120x40/native"))
    assert homes
    for home in homes:
        (turns,) = read_home("claude", home).turns.values()
        prompts = [turn.text for turn in turns if turn.role == "user"]
        assert len(prompts) == 7
        assert prompts[-1] == "Are you still there?"
