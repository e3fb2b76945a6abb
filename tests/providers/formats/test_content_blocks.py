"""Content blocks in each agent's spelling."""

from typing import Any

import pytest

from dejavu.model import Blob, Extension, Reasoning, Text, ToolCall, ToolCallResponse
from dejavu.providers.formats import content_blocks as blocks


@pytest.mark.parametrize(
    ("block", "part"),
    [
        ({"type": "text", "text": "a"}, Text("a")),
        ({"type": "thinking", "thinking": "a", "signature": "s"}, Reasoning("a")),
        ({"type": "thinking", "text": "a"}, Reasoning("a")),
        ({"type": "think", "think": "a"}, Reasoning("a")),
        (
            {"type": "tool_use", "id": "1", "name": "ls", "input": {"p": "."}},
            ToolCall("1", "ls", {"p": "."}),
        ),
        (
            {"type": "toolCall", "id": "1", "name": "ls", "arguments": '{"p": 1}'},
            ToolCall("1", "ls", {"p": 1}),
        ),
        (
            {"type": "tool-call", "toolCallId": "1", "toolName": "ls", "args": "x"},
            ToolCall("1", "ls", "x"),
        ),
        (
            {
                "type": "image",
                "source": {"type": "base64", "media_type": "image/png", "data": "AA"},
            },
            Blob("image/png", "AA"),
        ),
        ({"type": "image", "data": "AA", "mimeType": "image/png"}, Blob("image/png", "AA")),
        (
            {"type": "image_url", "image_url": {"url": "data:image/png;base64,AA"}},
            Blob("image/png", "AA", "image"),
        ),
        (
            {"type": "image_url", "image_url": {"url": "http://x"}},
            Extension("pi.image_url", {"url": "http://x"}),
        ),
        ({"type": "frog", "legs": 4}, Extension("pi.frog", {"legs": 4})),
    ],
)
def test_what_is_said(block: dict[str, Any], part: object) -> None:
    strange: list[str] = []
    said, results = blocks.parts([block], "pi", strange.append)
    assert said == [part]
    assert results == []
    assert strange == (["block/frog"] if block["type"] == "frog" else [])


def test_results_stand_apart_with_their_images() -> None:
    content = [
        {"type": "text", "text": "beside"},
        {"type": "tool_result", "tool_use_id": "1", "content": "7", "is_error": True},
        {
            "type": "toolResult",
            "toolCallId": "2",
            "content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}],
        },
        {"type": "tool_result", "tool_use_id": "3", "content": [{"type": "image", "data": "AA"}]},
        {"type": "tool_result", "tool_use_id": "4", "content": [{"type": "reference", "to": "x"}]},
    ]
    said, results = blocks.parts(content, "pi", print)
    assert said == [Text("beside")]
    assert results == [
        ToolCallResponse("1", "7", True),
        ToolCallResponse("2", "a\nb"),
        ToolCallResponse("3", ""),
        Blob(None, "AA"),
        ToolCallResponse("4", [{"type": "reference", "to": "x"}]),
    ]


@pytest.mark.parametrize("content", [None, "", [], 3, [3, None], {}])
def test_nothing_is_nothing(content: Any) -> None:
    assert blocks.parts(content, "pi", print) == ([], [])


def test_text_alone_is_one_part() -> None:
    assert blocks.parts("a", "pi", print) == ([Text("a")], [])
    assert blocks.arguments("{no json") == "{no json"
    assert blocks.inline("data:audio/mp3;base64,AA") == Blob("audio/mp3", "AA", "audio")
    assert blocks.inline("data:application/pdf;base64,AA") == Blob(
        "application/pdf", "AA", "document"
    )
