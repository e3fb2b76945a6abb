"""OpenAI Responses."""

from dejavu.model import Reasoning, Role, Text, ToolCall, ToolCallResponse
from dejavu.providers.formats.wire.responses import RESPONSES

THOUGHT = {"type": "reasoning", "id": "r1", "summary": [{"type": "summary_text", "text": "Hm"}]}
SAID = {"type": "message", "id": "m1", "role": "assistant",
        "content": [{"type": "output_text", "text": "Hello"}]}  # fmt: skip
CALL = {"type": "function_call", "id": "f1", "call_id": "c1", "name": "ls", "arguments": '{"a": 1}'}
ALL = (Reasoning("Hm"), Text("Hello"), ToolCall("c1", "ls", {"a": 1}))
USAGE = {"input_tokens": 7, "output_tokens": 3, "input_tokens_details": {"cached_tokens": 2}}


def reply(*events):
    one = RESPONSES.reply()
    for event in events:
        one.event(event)
    return one


def done(item):
    return {"type": "response.output_item.done", "item": item}


def test_whole_items_take_the_place_of_their_deltas():
    one = reply(
        {"type": "response.created", "response": {"id": "x1", "model": "gpt"}},
        {"type": "response.reasoning_summary_text.delta", "item_id": "r1", "delta": "H"},
        done(THOUGHT),
        {"type": "response.output_text.delta", "item_id": "m1", "delta": "Hel"},
        done(SAID),
        done(CALL),
        {"type": "response.completed", "response": {
            "id": "x1", "status": "completed", "output": [THOUGHT, SAID, CALL], "usage": USAGE}},
    )  # fmt: skip
    assert one.parts() == ALL
    assert (one.id, one.model, one.stop, one.usage.input_tokens) == ("x1", "gpt", "completed", 7)
    assert not one.unknown


def test_a_stream_that_breaks_off_keeps_its_deltas():
    one = reply(
        done(THOUGHT),
        {"type": "response.output_text.delta", "item_id": "m1", "delta": "Hel"},
        {"type": "response.output_item.added",
         "item": {"type": "function_call", "id": "f1", "call_id": "c1", "name": "ls"}},
        {"type": "response.function_call_arguments.delta", "item_id": "f1", "delta": "{}"},
    )  # fmt: skip
    assert one.parts() == (Reasoning("Hm"), Text("Hel"), ToolCall("c1", "ls", {}))


def test_failures():
    one = reply({"type": "response.failed", "response": {"error": {"message": "no"}}})
    assert one.error == "no"
    assert reply({"type": "error", "message": "late"}).error == "late"
    assert reply(done({"type": "hologram"})).unknown == ["item/hologram"]


def test_a_request():
    asked = RESPONSES.parse_request(
        {"model": "gpt", "instructions": "Be good", "prompt_cache_key": "k1",
         "client_metadata": {"session_id": "s1"}, "tools": [{"type": "function", "name": "ls"}],
         "input": [
            {"type": "message", "role": "developer", "content": [{"text": "rules"}]},
            {"role": "user", "content": "Hi"}, THOUGHT, SAID, CALL,
            {"type": "function_call_output", "call_id": "c1", "output": "x"},
            {"type": "custom_tool_call", "call_id": "c2", "name": "patch", "input": "*** Begin"},
            {"type": "custom_tool_call_output", "call_id": "c2", "output": [{"text": "ok"}]},
            {"type": "local_shell_call", "call_id": "c3", "action": {"command": ["ls"]}},
            {"type": "web_search_call", "id": "w1", "action": {"query": "q"}}]}
    )  # fmt: skip
    assert (asked.system, asked.session) == (("Be good",), "s1")
    roles = [item.role for item in asked.items]
    assert roles[:3] == [Role.SYSTEM, Role.USER, Role.ASSISTANT]
    parts = [part for item in asked.items for part in item.parts]
    assert parts[5] == ToolCallResponse("c1", "x")
    assert parts[6:8] == [ToolCall("c2", "patch", "*** Begin"), ToolCallResponse("c2", "ok")]
    assert parts[8] == ToolCall("c3", "local_shell", {"command": ["ls"]})
    assert parts[9] == ToolCall("w1", "web_search", {"query": "q"})
    assert RESPONSES.parse_request({"input": "Hi"}).items[0].parts == (Text("Hi"),)
