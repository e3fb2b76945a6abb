"""kimi-cli's wire and context."""

from typing import Any

import pytest


def wire(kind: str, **payload: Any) -> dict[str, Any]:
    return {"timestamp": 1.0, "message": {"type": kind, "payload": payload}}


def call(native: str, arguments: str) -> dict[str, Any]:
    return wire("ToolCall", id=native, function={"name": "Shell", "arguments": arguments})


def test_pieces_of_a_stream_are_joined(parse: Any) -> None:
    records = [
        wire("TurnBegin", user_input=[{"type": "text", "text": "go"}]),
        wire("ContentPart", type="text", text="Coun"),
        wire("ContentPart", type="text", text="ting."),
        call("a", '{"x"'),
        wire("ToolCallPart", arguments_part=": 1}"),
        call("b", "{}"),
        wire("ToolResult", tool_call_id="a", return_value={"output": "", "message": "done"}),
        wire("ToolResult", tool_call_id="b", return_value={"output": "7", "is_error": True}),
        wire("ContentPart", type="text", text="Seven."),
        wire("StepInterrupted"),
    ]
    book, parser = parse("kimi-cli", records, "wire.jsonl")
    turns = book.turns["native"]
    assert [turn.role for turn in turns] == [
        "user",
        "assistant",
        "tool",
        "tool",
        "assistant",
        "system",
    ]
    text, first, second = turns[1].parts
    assert (text.content, first.arguments, second.arguments) == ("Counting.", {"x": 1}, {})
    assert [turn.parts[0].response for turn in turns[2:4]] == ["done", "7"]
    assert not parser.drift


def test_the_context_knows_no_time_but_everything_else(parse: Any) -> None:
    records = [
        {
            "role": "user",
            "content": [
                {"type": "text", "text": "go"},
                {"type": "image", "url": "data:image/png;base64,AA"},
            ],
        },
        {
            "role": "assistant",
            "content": "",
            "tool_calls": [{"id": "c", "function": {"name": "ls", "arguments": "{}"}}],
        },
        {"role": "tool", "content": "7", "tool_call_id": "c"},
        {"role": "frog"},
    ]
    book, parser = parse("kimi-cli", records, "context.jsonl")
    assert [turn.role for turn in book.turns["native"]] == ["user", "assistant", "tool", "system"]
    assert parser.drift["frog"] == 1


@pytest.mark.shared
def test_wire_and_context_of_one_session_agree(shared: Any, parse: Any) -> None:
    folders = (shared / "data" / "sessions").glob(
        "MoonshotAI*/packages/migration-legacy/test/fixtures/*"
    )
    compared = 0
    for folder in sorted(folders):
        if folder.name not in (
            "archived",
            "recent-protocol-1.10",
            "with-thinking",
            "with-tool-calls",
        ):
            continue
        books = [
            parse("kimi-cli", (folder / name).read_bytes(), name)[0]
            for name in ("wire.jsonl", "context.jsonl")
        ]
        prompts = [[t.text for t in book.turns["native"] if t.role == "user"] for book in books]
        assert prompts[0][0][:400] == prompts[1][0][:400]
        compared += 1
    assert compared >= 3
