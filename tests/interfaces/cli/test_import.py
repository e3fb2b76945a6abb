"""`dejavu import`: what is not whole is said."""

import io
import json
import random
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.factories.archive import Result
from tests.factories.session_files import claude_session

from dejavu.archive import Archive
from dejavu.ingest.import_file import import_files
from dejavu.ingest.reparse import reparse
from dejavu.model import Conversation
from dejavu.model.conversation import conversation_id


def _export(count: int) -> str:
    def node(number: int) -> dict[str, object]:
        content = {"content_type": "text", "parts": [f"hello number {number}"]}
        message = {"author": {"role": "user"}, "create_time": 1_760_000_000, "content": content}
        return {"id": "a", "message": message, "parent": None, "children": []}

    return json.dumps(
        [{"id": f"c{n}", "title": f"T{n}", "mapping": {"a": node(n)}} for n in range(count)]
    )


def test_an_export_that_was_cut_is_read_as_far_as_it_goes_and_said(
    dejavu: Callable[..., Result], home: Path, tmp_path: Path
) -> None:
    text = _export(2)
    (tmp_path / "cut.json").write_text(text[: len(text) // 2 + 60])
    result = dejavu("import", str(tmp_path / "cut.json"))
    assert (result.code, "1 conversation" in result.out) == (1, True)
    assert "may be cut short" in result.err
    (tmp_path / "whole.json").write_text(text)
    result = dejavu("import", str(tmp_path / "whole.json"))
    assert (result.code, "2 conversations" in result.out) == (0, True)


def test_a_file_without_a_conversation_is_said(
    dejavu: Callable[..., Result], home: Path, tmp_path: Path
) -> None:
    (tmp_path / "notes.md").write_text("# just notes\n")
    result = dejavu("import", str(tmp_path / "notes.md"))
    assert (result.code, "no conversation" in result.err) == (1, True)


def test_items_and_files_that_are_passed_over_are_named(
    dejavu: Callable[..., Result], home: Path, tmp_path: Path
) -> None:
    items = json.loads(_export(2))
    items += [{**items[0]}, "no conversation", {"id": "empty", "title": "E", "mapping": {}}]
    folder = tmp_path / "given"
    folder.mkdir()
    (folder / "conversations.json").write_text(json.dumps(items))
    (folder / "package.json").write_text('{"name": "not a chat"}')
    result = dejavu("import", str(folder))
    assert result.code == 1
    assert "item 3 of 5: it has the id of one before" in result.err
    assert "item 4 of 5: it is not a conversation" in result.err
    assert "item 5 of 5 (empty): nothing was said in it" in result.err
    assert "package.json: it is not an export" in result.err
    names = [one["path"] for one in dejavu("import", str(folder), "--json").json["skipped"]]
    assert names == [str(folder / "package.json")]


def test_a_workspace_that_is_named_later_counts(
    dejavu: Callable[..., Result], home: Path, tmp_path: Path
) -> None:
    file = tmp_path / "conversations.json"
    file.write_text(_export(2))
    dejavu("import", str(file))
    assert {row["workspace"] for row in dejavu("list", "--json").rows} == {""}
    assert dejavu("import", str(file), "--workspace", "/work/pond").code == 0
    assert {row["workspace"] for row in dejavu("list", "--json").rows} == {"/work/pond"}
    assert "0 changed" in dejavu("import", str(file), "--workspace", "/work/pond").out
    assert "0 changed" in dejavu("import", str(file)).out
    assert {row["workspace"] for row in dejavu("list", "--json").rows} == {"/work/pond"}


def test_a_trajectory_of_an_unknown_version_is_read_and_said(
    dejavu: Callable[..., Result], home: Path, tmp_path: Path
) -> None:
    def write(version: str) -> str:
        steps = [{"step_id": 1, "source": "user", "message": f"hello {version}"}]
        agent = {"name": "other", "version": "1"}
        document = {
            "schema_version": version,
            "session_id": version,
            "agent": agent,
            "steps": steps,
        }
        (tmp_path / f"{version}.json").write_text(json.dumps(document))
        return str(tmp_path / f"{version}.json")

    for version in ("ATIF-v1.4", "ATIF-v1.12"):
        assert (dejavu("import", write(version)).code, dejavu("import", write(version)).err) == (
            0,
            "",
        )
    result = dejavu("import", write("ATIF-v2.0"))
    assert (result.code, "1 conversation" in result.out) == (1, True)
    assert "version ATIF-v2.0" in result.err


def test_the_whole_machine_is_refused(dejavu: Callable[..., Result], home: Path) -> None:
    for folder in ("/", str(home)):
        done = dejavu("import", folder)
        assert (done.code, "`dejavu sync`" in done.err) == (2, True)


@pytest.mark.parametrize("how", ["cut", "changed"])
def test_a_damaged_zip_is_named_whatever_is_damaged(
    how: str, dejavu: Callable[..., Result], home: Path, tmp_path: Path
) -> None:
    whole = io.BytesIO()
    with zipfile.ZipFile(whole, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("conversations.json", _export(3))
    chance, path = random.Random(how), tmp_path / "export.zip"
    for _ in range(60):
        data = bytearray(whole.getvalue())
        if how == "cut":
            del data[chance.randrange(2, len(data)) :]
        else:
            for _ in range(chance.randint(1, 6)):
                data[chance.randrange(2, len(data))] = chance.randrange(256)
        path.write_bytes(data)
        result = dejavu("import", str(path))
        assert "internal error" not in result.err
        assert result.code in (0, 1)
        assert result.code == 0 or str(path) in result.err


@pytest.mark.parametrize("form", ["json", "jsonl"])
def test_an_export_of_our_own_comes_back_equal(
    dejavu: Callable[..., Result], archived: list[Conversation], tmp_path: Path, form: str
) -> None:
    sent = archived[1]
    path = tmp_path / f"one.{form}"
    assert dejavu("export", sent.id, "--raw-secrets", "-o", str(path)).code == 0
    with Archive.open(tmp_path / "colleague") as archive:
        report = import_files(archive, [path])
        assert (report.unreadable, report.drift.total()) == ([], 0)
        (found,) = [archive.get(one.id) for one in archive.scan()]
        assert reparse(archive).failed == []
    assert found.id == conversation_id(sent.agent, sent.instance, sent.native_id)
    names = ("agent", "workspace", "native_id", "title", "started_at", "ended_at", "tags")
    assert [getattr(found, name) for name in names] == [getattr(sent, name) for name in names]
    told = [(turn.role, turn.parts, turn.at, turn.model, turn.usage) for turn in found.turns]
    assert told == [(turn.role, turn.parts, turn.at, turn.model, turn.usage) for turn in sent.turns]


def test_an_export_of_our_own_that_is_no_conversation_is_said(
    dejavu: Callable[..., Result], home: Path, tmp_path: Path
) -> None:
    path = tmp_path / "odd.json"
    path.write_text('{"id": "a", "workspace": "", "turns": [{"role": "cook", "parts": 3}]}')
    done = dejavu("import", str(path))
    assert (done.code, "could not be read" in done.err) == (1, True)


def test_a_file_that_is_no_export_names_the_one_that_can_be_read(
    dejavu: Callable[..., Result], archived: list[Conversation], tmp_path: Path
) -> None:
    page = tmp_path / "one.html"
    assert dejavu("export", "last", "-o", str(page)).code == 0
    assert "`dejavu export ID -f json`" in dejavu("import", str(page)).err


def test_an_import_changes_no_turn_that_an_agent_wrote(
    dejavu: Callable[..., Result], home: Path, tmp_path: Path
) -> None:
    claude_session(home, "the first thing", "yes")
    assert dejavu("sync").code == 0
    (before,) = [dejavu("show", row["id"], "--json").json for row in dejavu("list", "--json").rows]
    path = tmp_path / "one.json"
    assert dejavu("export", "last", "-o", str(path)).code == 0
    path.write_text(path.read_text().replace("the first thing", "another thing"))
    assert dejavu("import", str(path)).code == 0
    (after,) = [dejavu("show", row["id"], "--json").json for row in dejavu("list", "--json").rows]
    assert after["turns"] == before["turns"]
