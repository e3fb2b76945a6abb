"""Droid's lines."""

from typing import Any

from dejavu.model import Relation


def test_a_session_called_by_another_is_its_sub_agent(parse: Any) -> None:
    message = {"type": "message", "id": "m", "message": {"role": "user", "content": "go"}}
    start = {"type": "session_start", "id": "native", "callingSessionId": "p", "cwd": "/w"}
    book, _ = parse("droid", [start, message])
    assert (book.heads["native"].relation, book.heads["native"].workspace) == (
        Relation.SUBAGENT,
        "/w",
    )


def test_a_result_and_words_in_one_message_are_two_turns(parse: Any) -> None:
    content = [
        {"type": "tool_result", "tool_use_id": "c", "content": "7"},
        {"type": "text", "text": "and?"},
    ]
    book, _ = parse("droid", [{"type": "message", "message": {"role": "user", "content": content}}])
    assert [turn.role for turn in book.turns["native"]] == ["tool", "user"]
