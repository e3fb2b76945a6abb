"""Cline's documents."""

import json
from pathlib import Path
from typing import Any

import pytest

from dejavu.model import Relation
from dejavu.providers import Kind


def read(parse: Any, *messages: dict[str, Any]) -> list[Any]:
    raw = json.dumps({"messages": list(messages)}).encode()
    book, _ = parse("cline", raw, "s.messages.json", kind=Kind.WHOLE)
    return list(book.turns["native"])


def user(*content: dict[str, Any]) -> dict[str, Any]:
    return {"role": "user", "content": list(content)}


def text(words: str) -> dict[str, Any]:
    return {"type": "text", "text": words}


@pytest.mark.parametrize(
    ("words", "typed"),
    [
        ('<user_input mode="act">go\non</user_input>', "go\non"),
        ("<task>\ngo\n</task>", "go"),
        ("no envelope", "no envelope"),
        ("<task>go</task><environment_details>noon</environment_details>", "go"),
    ],
)
def test_a_prompt_is_what_was_typed(words: str, typed: str, parse: Any) -> None:
    (turn,) = read(parse, user(text(words)))
    assert (turn.role, turn.text) == ("user", typed)


def test_details_alone_are_no_prompt(parse: Any) -> None:
    (turn,) = read(parse, user(text("<environment_details>noon</environment_details>")))
    assert turn.role == "system"


def test_one_result_is_plain_and_several_stand_as_they_are(parse: Any) -> None:
    def result(*answers: dict[str, Any]) -> Any:
        block = {"type": "tool_result", "tool_use_id": "c", "content": list(answers)}
        (turn,) = read(parse, user(block))
        return turn.parts[0]

    one = {"query": "ls", "result": "7", "success": False}
    assert (result(one).response, result(one).is_error) == ("7", True)
    assert result(one, one).response == [one, one]


def test_a_sub_agents_document_lies_beside_its_sessions(tmp_path: Path, read_home: Any) -> None:
    folder = tmp_path / ".cline" / "data" / "sessions" / "s"
    folder.mkdir(parents=True)
    (folder / "s.json").write_text(json.dumps({"cwd": "/work"}))
    for name in ("s", "helper"):
        said = {"messages": [user(text(f"{name}, go"))]}
        (folder / f"{name}.messages.json").write_text(json.dumps(said))
    book = read_home("cline", tmp_path)
    assert sorted(book.turns) == ["s", "s/helper"]
    helper = book.heads["s/helper"]
    assert (helper.parent, helper.workspace) == (book.heads["s"].id, "/work")
    assert helper.relation is Relation.SUBAGENT
