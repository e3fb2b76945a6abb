"""Anthropic Messages."""

from dejavu.model import Blob, Reasoning, Role, Text, ToolCall, ToolCallResponse
from dejavu.providers.formats.wire.messages import MESSAGES

START = {"type": "message_start", "message": {"id": "m1", "model": "opus", "usage": {
    "input_tokens": 5, "cache_read_input_tokens": 2, "output_tokens": 1}}}  # fmt: skip


def begin(index, **block):
    return {"type": "content_block_start", "index": index, "content_block": block}


def delta(index, **what):
    return {"type": "content_block_delta", "index": index, "delta": what}


STREAM = [
    START,
    begin(0, type="thinking", thinking=""),
    delta(0, type="thinking_delta", thinking="Hm"),
    delta(0, type="signature_delta", signature="x"),
    {"type": "content_block_stop", "index": 0},
    {"type": "ping"},
    begin(1, type="text", text=""),
    delta(1, type="text_delta", text="Hel"),
    delta(1, type="text_delta", text="lo"),
    begin(2, type="tool_use", id="c1", name="Bash", input={}),
    delta(2, type="input_json_delta", partial_json='{"command":'),
    delta(2, type="input_json_delta", partial_json=' "ls"}'),
    {"type": "message_delta", "delta": {"stop_reason": "tool_use"}, "usage": {"output_tokens": 9}},
    {"type": "message_stop"},
]


def reply(*events):
    one = MESSAGES.reply()
    for event in events:
        one.event(event)
    return one


def test_a_stream():
    one = reply(*STREAM)
    assert one.parts() == (
        Reasoning("Hm"),
        Text("Hello"),
        ToolCall("c1", "Bash", {"command": "ls"}),
    )
    assert (one.id, one.model, one.stop) == ("m1", "opus", "tool_use")
    assert (one.usage.input_tokens, one.usage.output_tokens) == (7, 9)
    assert not one.unknown


def test_a_stream_that_breaks_off_keeps_what_came():
    for count in range(len(STREAM)):
        parts = reply(*STREAM[:count]).parts()
        assert all(isinstance(part, Reasoning | Text | ToolCall) for part in parts)
    assert reply(*STREAM[:8]).parts() == (Reasoning("Hm"), Text("Hel"))


def test_a_whole_message_and_an_error():
    one = MESSAGES.reply()
    one.whole({"id": "m1", "model": "opus", "content": [{"type": "text", "text": "Hello"}]})
    assert one.parts() == (Text("Hello"),)
    one = MESSAGES.reply()
    one.whole({"type": "error", "error": {"type": "x", "message": "no"}})
    assert one.error == "no"
    assert reply({"type": "error", "error": {"message": "late"}}).error == "late"


def test_unknown_events_are_told():
    one = reply({"type": "eclipse"}, begin(0, type="hologram"))
    assert one.unknown == ["eclipse", "block/hologram"]


def test_a_request():
    image = {
        "type": "image",
        "source": {"type": "base64", "media_type": "image/png", "data": "aGk="},
    }
    result = {"type": "tool_result", "tool_use_id": "c1", "content": "x", "is_error": True}
    asked = MESSAGES.parse_request(
        {"model": "opus", "system": [{"type": "text", "text": "Be good"}],
         "tools": [{"name": "Bash"}],
         "metadata": {"user_id": '{"session_id": "s1"}'},
         "messages": [{"role": "user", "content": "Hi"},
                      {"role": "user",
                       "content": [result, {"type": "text", "text": "and"}, image]}]}
    )  # fmt: skip
    assert (asked.model, asked.system, asked.session) == ("opus", ("Be good",), "s1")
    assert [item.role for item in asked.items] == [Role.USER, Role.TOOL, Role.USER]
    assert asked.items[1].parts == (ToolCallResponse("c1", "x", True),)
    assert asked.items[2].parts == (Text("and"), Blob("image/png", "aGk="))


def test_the_session_in_the_older_form_of_user_id():
    user = "user_abc_account__session_7b0e1a9c-0000-4000-8000-1234567890ab"
    body = {"metadata": {"user_id": user}}
    assert MESSAGES.parse_request(body).session == "7b0e1a9c-0000-4000-8000-1234567890ab"
    assert MESSAGES.parse_request({"metadata": {"user_id": "someone"}}).session is None
    assert MESSAGES.parse_request({"system": "Be good"}).system == ("Be good",)
