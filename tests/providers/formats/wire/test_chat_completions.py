"""OpenAI Chat Completions."""

from dejavu.model import Blob, Reasoning, Role, Text, ToolCall, ToolCallResponse
from dejavu.providers.formats.wire.chat_completions import CHAT


def chunk(finish=None, **delta):
    return {"id": "x1", "model": "big", "choices": [{"delta": delta, "finish_reason": finish}]}


def call(index, arguments, **more):
    function = {"arguments": arguments, **({"name": more.pop("name")} if "name" in more else {})}
    return chunk(tool_calls=[{"index": index, "function": function, **more}])


def reply(*events):
    one = CHAT.reply()
    for event in events:
        one.event(event)
    return one


def test_a_stream():
    one = reply(
        chunk(role="assistant", content=""), chunk(reasoning_content="H"), chunk(reasoning="m"),
        chunk(content="Hel"), chunk(content="lo"), call(0, '{"a"', id="c1", name="ls"),
        call(1, "{}", id="c2", name="pwd"), call(0, ": 1}"), chunk("tool_calls"),
        {"choices": [], "usage": {"prompt_tokens": 7, "completion_tokens": 3,
                                  "prompt_tokens_details": {"cached_tokens": 2}}},
    )  # fmt: skip
    assert one.parts() == (
        Reasoning("Hm"), Text("Hello"), ToolCall("c1", "ls", {"a": 1}), ToolCall("c2", "pwd", {}),
    )  # fmt: skip
    assert (one.id, one.model, one.stop) == ("x1", "big", "tool_calls")
    assert (one.usage.input_tokens, one.usage.cache_read_input_tokens) == (7, 2)


def test_a_whole_completion():
    one = CHAT.reply()
    function = {"name": "ls", "arguments": "{}"}
    message = {"content": "Hello", "tool_calls": [{"id": "c1", "function": function}]}
    one.whole({"choices": [{"message": message, "finish_reason": "stop"}]})
    assert one.parts() == (Text("Hello"), ToolCall("c1", "ls", {}))
    one = CHAT.reply()
    one.whole({"error": {"message": "no"}})
    assert one.error == "no"


def test_a_request():
    picture = {"type": "image_url", "image_url": {"url": "data:image/png;base64,aGk="}}
    asked = CHAT.parse_request(
        {"model": "big", "prompt_cache_key": "s1", "tools": [{"function": {"name": "ls"}}],
         "messages": [
            {"role": "system", "content": "Be good"},
            {"role": "user", "content": [{"type": "text", "text": "Hi"}, picture]},
            {"role": "assistant", "content": None, "reasoning_content": "Hm",
             "tool_calls": [{"id": "c1", "function": {"name": "ls", "arguments": "{}"}}]},
            {"role": "tool", "tool_call_id": "c1", "content": [{"type": "text", "text": "x"}]},
            {"role": "system", "content": "A note"}]}
    )  # fmt: skip
    assert (asked.system, asked.session) == (("Be good",), "s1")
    assert [item.role for item in asked.items] == [
        Role.USER, Role.ASSISTANT, Role.TOOL, Role.SYSTEM,
    ]  # fmt: skip
    assert asked.items[0].parts == (Text("Hi"), Blob("image/png", "aGk="))
    assert asked.items[1].parts == (Reasoning("Hm"), ToolCall("c1", "ls", {}))
    assert asked.items[2].parts == (ToolCallResponse("c1", "x"),)
