"""Gemini's parts."""

from dejavu.model import Blob, Extension, Reasoning, Text, ToolCall, ToolCallResponse
from dejavu.providers.formats import google_parts


def test_each_part_becomes_one_of_ours() -> None:
    content = [
        {"text": "hm", "thought": True},
        {"text": "a"},
        {"text": ""},
        {"functionCall": {"id": "1", "name": "ls", "args": {"p": "."}}},
        {"functionResponse": {"id": "1", "response": {"output": "7"}}},
        {"inlineData": {"mimeType": "image/png", "data": "AA"}},
        {"executableCode": {"code": "1"}},
        "bare",
    ]
    said, results = google_parts.parts(content, "qwen")
    assert said == [
        Reasoning("hm"),
        Text("a"),
        ToolCall("1", "ls", {"p": "."}),
        Blob("image/png", "AA"),
        Extension("qwen.part", {"executableCode": {"code": "1"}}),
        Text("bare"),
    ]
    assert results == [ToolCallResponse("1", "7")]
    assert google_parts.parts("text", "qwen") == ([Text("text")], [])
    assert google_parts.parts(None, "qwen") == ([], [])


def test_a_response_is_its_output_or_error_or_itself() -> None:
    def response(value: object) -> ToolCallResponse:
        return google_parts.response({"id": "1", "response": value})

    assert response({"error": "no"}) == ToolCallResponse("1", "no", True)
    assert response({"output": "a", "n": 1}) == ToolCallResponse("1", {"output": "a", "n": 1})
    assert response("x") == ToolCallResponse("1", "x")
