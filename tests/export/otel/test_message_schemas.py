"""What is exported against the schemas, and the schemas against cases that must pass or fail."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("jsonschema", reason="needs the extra mcp, which brings it")

import jsonschema
from tests.export.otel.message_schemas import INPUT, INSTRUCTIONS, OUTPUT
from tests.export.otel.test_spans import CONVERSATION, attributes_of, spans_of, turn

from dejavu.model import Conversation, Extension, Role, Text, ToolCall, Turn

TEXT = {"type": "text", "content": "hi"}
CALL = {"type": "tool_call", "id": None, "name": "ls", "arguments": {"path": "."}}


def _is_valid(schema: dict[str, Any], document: Any) -> bool:
    return bool(jsonschema.Draft202012Validator(schema).is_valid(document))


@pytest.mark.parametrize(
    ("schema", "document"),
    [
        (INPUT, []),
        (INPUT, [{"role": "user", "parts": []}]),
        (INPUT, [{"role": "tool", "parts": [{"type": "tool_call_response", "response": None}]}]),
        (INPUT, [{"role": "user", "parts": [{"type": "generic", "generic_type": "x", "y": 1}]}]),
        (INPUT, [{"role": "user", "parts": [TEXT], "name": None, "more": True}]),
        (OUTPUT, [{"role": "assistant", "parts": [TEXT, CALL], "finish_reason": "tool_call"}]),
        (OUTPUT, [{"role": "assistant", "parts": [TEXT], "finish_reason": "of its own"}]),
        (INSTRUCTIONS, [TEXT]),
    ],
)
@pytest.mark.fault("1.17")
def test_what_the_conventions_allow(schema: dict[str, Any], document: Any) -> None:
    assert _is_valid(schema, document)


@pytest.mark.parametrize(
    ("schema", "document"),
    [
        (INPUT, {"role": "user", "parts": []}),
        (INPUT, [{"parts": [TEXT]}]),
        (INPUT, [{"role": "user"}]),
        (INPUT, [{"role": "user", "parts": TEXT}]),
        (INPUT, [{"role": "user", "parts": [{"type": "text"}]}]),
        (INPUT, [{"role": "user", "parts": [{"content": "hi"}]}]),
        (INPUT, [{"role": "user", "parts": [{"type": "blob", "content": "QQ=="}]}]),
        (INPUT, [{"role": "user", "parts": [{"type": "generic", "generic_type": 1}]}]),
        (INPUT, [{"role": "user", "parts": [{"type": "x.amp.note"}]}]),
        (INPUT, [{"role": "tool", "parts": [{"type": "tool_call_response", "id": "c"}]}]),
        (OUTPUT, [{"role": "assistant", "parts": [TEXT]}]),
        (OUTPUT, [{"role": "assistant", "parts": [TEXT], "finish_reason": 0}]),
        (INSTRUCTIONS, [CALL]),
    ],
)
def test_what_they_refuse(schema: dict[str, Any], document: Any) -> None:
    assert not _is_valid(schema, document)


def _check(conversation: Conversation) -> list[dict[str, Any]]:
    """Every message of every span, after it was checked."""
    messages = []
    for span in spans_of(conversation):
        attributes = attributes_of(span)
        for name, schema in (("input", INPUT), ("output", OUTPUT)):
            if (text := attributes.get(f"gen_ai.{name}.messages")) is not None:
                document = json.loads(text)
                jsonschema.validate(document, schema)
                messages += document
    return messages


def test_a_conversation_passes() -> None:
    reasons = [m["finish_reason"] for m in _check(CONVERSATION) if "finish_reason" in m]
    assert reasons == ["unknown", "tool_call", "unknown", "unknown", "unknown"]


@given(st.lists(turn, max_size=8))
def test_any_conversation_passes(turns: list[Turn]) -> None:
    notice = Turn(role=Role.USER, parts=(Extension("amp.note", {"type": "y", "generic_type": 1}),))
    _check(Conversation(id="x", agent="a").with_turns((notice, *turns)))


@pytest.mark.parametrize(
    ("recorded", "reason"),
    [
        ("end_turn", "stop"),
        ("STOP", "stop"),
        ("toolUse", "tool_call"),
        ("tool-calls", "tool_call"),
        ("MAX_TOKENS", "length"),
        ("refusal", "content_filter"),
        ("pause_turn", "pause_turn"),
    ],
)
def test_finish_reasons_have_the_schemas_names(recorded: str, reason: str) -> None:
    answer = Turn(role=Role.ASSISTANT, parts=(Text("x"),), meta={"stop_reason": recorded})
    (_, chat) = spans_of(Conversation(id="x", agent="a").with_turns((answer,)))
    (message,) = json.loads(attributes_of(chat)["gen_ai.output.messages"])
    assert message["finish_reason"] == reason
    assert attributes_of(chat)["gen_ai.response.finish_reasons"] == {
        "values": [{"stringValue": recorded}]
    }


def test_a_serialised_object_is_exported_as_the_object() -> None:
    for arguments, exported in (('{"a": 1}', {"a": 1}), ("{cut", "{cut"), ("ls -l", "ls -l")):
        call = Turn(role=Role.ASSISTANT, parts=(ToolCall("c", "sh", arguments),))
        tool = spans_of(Conversation(id="x", agent="a").with_turns((call,)))[-1]
        assert json.loads(attributes_of(tool)["gen_ai.tool.call.arguments"]) == exported
