"""`code files` on a server: the turns around the hits are asked for, and no index of edits is made."""

import json
from pathlib import Path

import pytest
from tests.postgres import Server

from dejavu.archive import Archive
from dejavu.extensions.code.index import FOLDER
from dejavu.extensions.code.topic_files import topic_files
from dejavu.interfaces.command_line.app import run
from dejavu.model import Conversation, Role, Text, ToolCall, ToolCallResponse, Turn


def talk(number: int, topic: str, path: str) -> Conversation:
    turns = [Turn(role=Role.USER, parts=(Text(f"mend the {topic}"),), at=1.7e9)]
    for step in range(3):
        call = ToolCall(
            f"c{step}", "Edit", {"file_path": path, "old_string": "a", "new_string": "b"}
        )
        done = ToolCallResponse(f"c{step}", "done", step == 2)  # the last one failed
        turns += [
            Turn(role=Role.ASSISTANT, parts=(call,), at=1.7e9 + step),
            Turn(role=Role.TOOL, parts=(done,), at=1.7e9 + step),
        ]
    filler = [Turn(role=Role.ASSISTANT, parts=(Text("so"),), at=1.7e9) for _ in range(60)]
    head = Conversation(
        id=f"f{number}", agent="claude", native_id=f"n{number}", workspace="/w/shop"
    )
    return head.with_turns((*filler, *turns, *filler))


def test_the_same_files_as_by_an_index(
    server: Server, home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    url = server.url(schema=server.new_schema())
    talks = [talk(n, ("lantern", "anchor")[n % 2], f"/w/shop/{n % 3}.py") for n in range(9)]
    with Archive.open(str(home / "local")) as local, Archive.open(url) as archive:
        for one in talks:
            local.put(one)
            archive.put(one)
        expected = topic_files(local, "lantern", 9)
        assert {one.path: one.changes for one in expected} == {
            "/w/shop/0.py": 4, "/w/shop/1.py": 2, "/w/shop/2.py": 4,
        }  # fmt: skip
        found = topic_files(archive, "lantern", 9)
        assert {(one.path, one.changes) for one in found} == {
            (one.path, one.changes) for one in expected
        }
        assert not (archive.root / FOLDER).exists()
    monkeypatch.setenv("DEJAVU_ARCHIVE", url)
    assert run(["code", "files", "anchor", "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert sum(one["changes"] for one in said["files"]) == 8
