"""Codex's items, one by one."""

from typing import Any

import pytest

from dejavu.model import Blob, Extension, Text
from dejavu.providers.codex import items as codex


@pytest.mark.parametrize(
    ("payload", "expected"),
    [
        ({"output": "plain"}, ("plain", False)),
        ({"output": '{"output":"a","metadata":{"exit_code":2}}'}, ("a", True)),
        ({"output": {"content": "a", "success": False}}, ("a", True)),
        (
            {"output": [{"type": "input_text", "text": "a"}, {"type": "input_text", "text": "b"}]},
            ("a\nb", False),
        ),
        ({"output": '{"output": torn'}, ('{"output": torn', False)),
        ({}, (None, False)),
    ],
)
def test_outputs(payload: dict[str, Any], expected: tuple[Any, bool]) -> None:
    assert codex.output(payload) == expected


@pytest.mark.parametrize(
    ("payload", "expected"),
    [
        ({"arguments": '{"cmd": "ls"}'}, {"cmd": "ls"}),
        ({"arguments": "{torn"}, "{torn"),
        ({"arguments": {"cmd": "ls"}}, {"cmd": "ls"}),
        ({"input": "*** Begin Patch"}, "*** Begin Patch"),
        ({"action": {"command": ["ls"]}}, {"command": ["ls"]}),
        ({"summary": "Running tests"}, "Running tests"),
    ],
)
def test_arguments(payload: dict[str, Any], expected: Any) -> None:
    assert codex.arguments(payload) == expected


def test_who_wrote_a_prompt() -> None:
    def message(words: str, *origins: str) -> dict[str, Any]:
        told = [{"provenance": {"type": origin}} for origin in origins]
        return {
            "content": [{"type": "input_text", "text": words}],
            "internal_chat_message_metadata_passthrough": {"content_item_metadata": told},
        }

    assert not codex.injected(message("Count the frogs."))
    assert not codex.injected(message("Count the frogs.", "user"))
    assert codex.injected(message("Count the frogs.", "harness"))
    assert codex.injected(message("# AGENTS.md instructions for /w"))
    assert codex.injected(message("<environment_context>x</environment_context>"))


def test_executed_items_and_diffs() -> None:
    ran = {
        "type": "CommandExecution",
        "command": ["bash", "-lc", "ls"],
        "aggregated_output": "a",
        "exit_code": 1,
    }
    assert codex.executed(ran) == ("exec_command", {"cmd": "ls"}, "a", True)
    asked = {
        "type": "McpToolCall",
        "server": "s",
        "tool": "t",
        "arguments": {},
        "error": {"message": "x"},
    }
    assert codex.executed(asked) == ("s__t", {}, {"message": "x"}, True)
    old = codex.diffs({"a.txt": {"update": {"unified_diff": "-a"}}})
    new = codex.diffs([{"path": "a.txt", "kind": "update", "diff": "-a"}])
    assert [part.data["diff"] for part in (*old, *new)] == ["-a", "-a"]  # type: ignore[union-attr]
    assert codex.diffs(None) == []


def test_blocks_and_errors() -> None:
    content = [
        {"type": "input_text", "text": "a"},
        {"type": "input_image", "image_url": "data:image/png;base64,AA"},
        {"type": "local_image", "path": "/x.png"},
        {"type": "frog"},
    ]
    assert codex.content_parts({"content": content}) == [
        Text("a"),
        Blob("image/png", "AA"),
        Extension("codex.image", {"url": "/x.png"}),
        Extension("codex.frog", {"type": "frog"}),
    ]
    assert codex.error_words('{"error": {"message": "full"}}') == "full"
    assert codex.error_words('{"message": "full"}') == "full"
    assert codex.error_words("{torn") == "{torn"
    assert codex.thoughts({"summary": [{"text": "a"}], "content": [{"text": "b"}]}) == ["a", "b"]
