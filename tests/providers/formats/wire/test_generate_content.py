"""Gemini."""

from dejavu.model import Blob, Reasoning, Role, Text, ToolCall, ToolCallResponse
from dejavu.providers.formats.wire.generate_content import GENERATE_CONTENT


def chunk(*parts, **more):
    return {"candidates": [{"content": {"parts": list(parts), "role": "model"}}], **more}


STREAM = [
    chunk({"text": "H", "thought": True}, responseId="x1", modelVersion="pro"),
    chunk({"text": "m", "thought": True}),
    chunk({"text": "Hel"}),
    chunk({"text": "lo"}),
    chunk({"functionCall": {"id": "c1", "name": "ls", "args": {"a": 1}}}),
    {"candidates": [{"finishReason": "STOP"}],
     "usageMetadata": {"promptTokenCount": 7, "candidatesTokenCount": 3, "thoughtsTokenCount": 2}},
]  # fmt: skip
ALL = (Reasoning("Hm"), Text("Hello"), ToolCall("c1", "ls", {"a": 1}))


def reply(*events):
    one = GENERATE_CONTENT.reply()
    for event in events:
        one.event(event)
    return one


def test_a_stream():
    one = reply(*STREAM)
    assert one.parts() == ALL
    assert (one.id, one.model, one.stop) == ("x1", "pro", "STOP")
    assert (one.usage.output_tokens, one.usage.reasoning_output_tokens) == (5, 2)


def test_the_form_of_code_assist_is_one_object_deeper():
    assert reply(*({"response": event} for event in STREAM)).parts() == ALL
    inner = {"contents": [{"role": "user", "parts": [{"text": "Hi"}]}], "session_id": "s1"}
    asked = GENERATE_CONTENT.parse_request({"model": "pro", "request": inner})
    assert (asked.model, asked.session, asked.items[0].parts) == ("pro", "s1", (Text("Hi"),))


def test_an_error():
    one = GENERATE_CONTENT.reply()
    one.whole({"error": {"code": 400, "message": "no"}})
    assert one.error == "no"


def test_a_request():
    asked = GENERATE_CONTENT.parse_request(
        {"systemInstruction": {"parts": [{"text": "Be good"}]},
         "tools": [{"functionDeclarations": [{"name": "ls"}, {"name": "pwd"}]},
                   {"googleSearch": {}}],
         "contents": [
            {"role": "user", "parts": [{"text": "Hi"},
                                       {"inlineData": {"mimeType": "image/png", "data": "aGk="}}]},
            {"role": "model", "parts": [{"functionCall": {"name": "ls", "args": {}}}]},
            {"role": "user", "parts": [
                {"functionResponse": {"name": "ls", "response": {"output": "x"}}},
                {"functionResponse": {"id": "c2", "response": {"error": "no"}}}]}]}
    )  # fmt: skip
    assert asked.system == ("Be good",)
    assert [tool.get("name") for tool in asked.tools] == ["ls", "pwd", None]
    assert [item.role for item in asked.items] == [Role.USER, Role.ASSISTANT, Role.TOOL]
    assert asked.items[0].parts == (Text("Hi"), Blob("image/png", "aGk="))
    assert asked.items[1].parts == (ToolCall(None, "ls", {}),)
    assert asked.items[2].parts == (
        ToolCallResponse(None, "x"),
        ToolCallResponse("c2", "no", True),
    )
