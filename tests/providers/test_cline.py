"""Cline's documents."""

import json
from typing import Any

import pytest

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
