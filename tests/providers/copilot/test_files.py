"""Copilot's events."""

from typing import Any

import pytest


def event(kind: str, **data: Any) -> dict[str, Any]:
    return {"type": kind, "data": data, "id": kind}


def test_a_thought_told_before_its_message_is_one(parse: Any) -> None:
    thought = event("assistant.reasoning", content="hm")
    answer = event("assistant.message", content="Seven.", reasoningText="hm", toolRequests=[])
    for records in ([thought, answer], [answer, thought]):
        book, _ = parse("copilot", records)
        said = [part.content for turn in book.turns["native"] for part in turn.parts]
        assert sorted(said) == ["Seven.", "hm"]


def test_a_call_no_message_asked_for_is_told(parse: Any) -> None:
    book, _ = parse(
        "copilot",
        [
            event(
                "tool.execution_start",
                toolCallId="c",
                toolName="bash",
                arguments='{"command": "ls"}',
            ),
            event(
                "tool.execution_complete", toolCallId="c", success=False, error={"message": "no"}
            ),
        ],
    )
    call, result = book.turns["native"]
    assert call.parts[0].arguments == {"command": "ls"}
    assert (result.parts[0].response, result.parts[0].is_error) == ("no", True)


@pytest.mark.parametrize("kind", ["session.truncation", "subagent.started", "abort"])
def test_what_the_harness_did_is_kept(kind: str, parse: Any) -> None:
    book, parser = parse("copilot", [event("user.message", content="go"), event(kind, why="x")])
    assert book.turns["native"][1].parts[0].data == {"why": "x"}
    assert not parser.drift


def test_prompts_of_the_harness_and_attachments(parse: Any) -> None:
    book, _ = parse(
        "copilot",
        [
            event("user.message", content="go", attachments=[{"type": "file", "path": "/x"}]),
            event("user.message", content="be brief", source="skill"),
        ],
    )
    assert [turn.role for turn in book.turns["native"]] == ["user", "system"]
    assert len(book.turns["native"][0].parts) == 2
