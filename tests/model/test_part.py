import msgspec
import pytest

from dejavu.model import Blob, Extension, Part, Reasoning, Text, ToolCall, ToolCallResponse

PARTS: list[Part] = [
    Text("hello"),
    Reasoning("hm"),
    ToolCall("c1", "Bash", {"command": "ls"}),
    ToolCallResponse("c1", [{"type": "text", "text": "a"}]),
    Blob("image/png", "aGk="),
    Extension("claude.attachment", {"a": [1, None]}),
]


@pytest.mark.parametrize("part", PARTS, ids=lambda part: type(part).__name__)
def test_msgpack_round_trip(part: Part) -> None:
    assert msgspec.msgpack.decode(msgspec.msgpack.encode(part), type=Part) == part


def test_parts_are_frozen() -> None:
    with pytest.raises(AttributeError):
        PARTS[0].content = "other"  # type: ignore[union-attr,misc]


def test_a_newer_field_is_skipped() -> None:
    data = msgspec.msgpack.encode({"type": "text", "content": "x", "from_the_future": 1})
    assert msgspec.msgpack.decode(data, type=Part) == Text("x")


def test_type_names_follow_the_genai_schema() -> None:
    names = [msgspec.to_builtins(part)["type"] for part in PARTS]
    assert names == ["text", "reasoning", "tool_call", "tool_call_response", "blob", "x"]
