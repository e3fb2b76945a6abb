"""Kimi Code's event log."""

from typing import Any

import pytest

from dejavu.model import Relation


def said(role: str, words: str, **fields: Any) -> dict[str, Any]:
    message = {"role": role, "content": [{"type": "text", "text": words}], **fields}
    return {"type": "context.append_message", "message": message}


def loop(kind: str, **fields: Any) -> dict[str, Any]:
    return {"type": "context.append_loop_event", "event": {"type": kind, **fields}}


def test_an_answer_told_by_both_lanes_is_one(parse: Any) -> None:
    part = loop("content.part", part={"type": "text", "text": "Seven."})
    for records in ([part, said("assistant", "Seven.")], [said("assistant", "Seven."), part]):
        book, _ = parse("kimi", [said("user", "go"), *records], "wire.jsonl")
        assert [(turn.role, turn.text) for turn in book.turns["native"]] == [
            ("user", "go"),
            ("assistant", "Seven."),
        ]


def test_results_with_images_and_failures(parse: Any) -> None:
    image = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AA"}}
    output = [{"type": "text", "text": "seen"}, image]
    records = [
        loop("tool.call", toolCallId="c", name="Look", args={}),
        loop("tool.result", toolCallId="c", result={"output": "no", "isError": True}),
        loop("tool.result", toolCallId="d", result={"output": output}),
    ]
    book, _ = parse("kimi", records, "wire.jsonl")
    _, failed, seen = book.turns["native"]
    assert (failed.parts[0].response, failed.parts[0].is_error) == ("no", True)
    assert seen.parts[0].response in ("seen", output)


@pytest.mark.parametrize("kind", ["context.undo", "context.clear", "forked"])
def test_what_the_harness_did_is_kept(kind: str, parse: Any) -> None:
    book, parser = parse("kimi", [said("user", "go"), {"type": kind, "count": 1}], "wire.jsonl")
    assert book.turns["native"][1].parts[0].kind == f"kimi.{kind}"
    assert not parser.drift


def test_a_sub_agents_log_names_its_session(parse: Any) -> None:
    book, _ = parse("kimi", [said("user", "go")], "wire.jsonl", native="session_a/agent-0")
    assert book.heads["session_a/agent-0"].relation is Relation.SUBAGENT
