"""Anthropic messages in all the ways they are printed."""

import json

from dejavu.model import Extension, Reasoning, Relation, Role, Text, ToolCall

INIT = {"type": "system", "subtype": "init", "session_id": "s1", "cwd": "/w", "model": "opus"}


def lines(*items):
    return [json.dumps(item) for item in items]


def assistant(message, *content, **more):
    body = {"id": message, "role": "assistant", "model": "opus", "content": list(content)}
    return {
        "type": "assistant",
        "session_id": "s1",
        "uuid": f"u-{message}",
        "message": body,
        **more,
    }


def user(*content, **more):
    body = {"role": "user", "content": list(content)}
    return {"type": "user", "session_id": "s1", "uuid": "u-user", "message": body, **more}


def event(kind, **fields):
    return {"type": "stream_event", "session_id": "s1", "event": {"type": kind, **fields}}


def text(content):
    return {"type": "text", "text": content}


def delta(index, kind, key, content):
    return event("content_block_delta", index=index, delta={"type": kind, key: content})


def test_deltas_give_way_to_the_whole_block(play_stream):
    partial = [
        event("message_start", message={"id": "m1", "usage": {"input_tokens": 9}}),
        event("content_block_start", index=0, content_block={"type": "thinking", "thinking": ""}),
        delta(0, "thinking_delta", "thinking", "Let me "),
        delta(0, "thinking_delta", "thinking", "see"),
        assistant("m1", {"type": "thinking", "thinking": "Let me see"}),
        event("content_block_stop", index=0),
        event("content_block_start", index=1, content_block=text("")),
        delta(1, "text_delta", "text", "Hel"),
        delta(1, "text_delta", "text", "lo"),
    ]
    (turn,) = play_stream("claude", lines(INIT, *partial)).turns
    assert turn.parts == (Reasoning("Let me see"), Text("Hello"))
    end = [assistant("m1", text("Hello")), event("message_delta", usage={"output_tokens": 7})]
    (turn,) = play_stream("claude", lines(INIT, *partial, *end)).turns
    assert turn.parts == (Reasoning("Let me see"), Text("Hello"))
    assert (turn.usage.input_tokens, turn.usage.output_tokens) == (9, 7)
    assert turn.native_id == "u-m1"
    assert turn.model == "opus"


def test_a_call_that_was_cut_off_is_a_call(play_stream):
    (turn,) = play_stream(
        "claude",
        lines(
            INIT,
            event("message_start", message={"id": "m1"}),
            event(
                "content_block_start",
                index=0,
                content_block={"type": "tool_use", "id": "c1", "name": "Bash", "input": {}},
            ),
            delta(0, "input_json_delta", "partial_json", '{"command": "ls'),
        ),
    ).turns
    assert turn.parts == (ToolCall("c1", "Bash", '{"command": "ls'),)


def test_the_same_line_again_adds_nothing(play_stream):
    line = assistant("m1", text("Hello"), {"type": "tool_use", "id": "c", "name": "X", "input": {}})
    (turn,) = play_stream("claude", lines(INIT, line, line)).turns
    assert len(turn.parts) == 2


def test_a_result_alone_is_the_answer(play_stream):
    result = {"type": "result", "subtype": "success", "session_id": "s1", "result": "Hello"}
    turns = play_stream(
        "claude", lines(result), ["claude", "-p", "Hi", "--output-format", "json"]
    ).turns
    assert [turn.text for turn in turns] == ["Hi", "Hello"]
    turns = play_stream("claude", lines(INIT, assistant("m1", text("Hello")), result)).turns
    assert [turn.text for turn in turns] == ["Hello"]
    again = [assistant("m1", text("Hello")), result, user(text("More")), result]
    turns = play_stream("claude", lines(INIT, *again)).turns
    assert [turn.text for turn in turns] == ["Hello", "More", "Hello"]


def test_all_lines_in_one_list(play_stream):
    everything = json.dumps([INIT, assistant("m1", text("Hello"))])
    played = play_stream("claude", [everything], ["claude", "-p", "Hi"])
    assert [turn.text for turn in played.turns] == ["Hi", "Hello"]
    assert played.head.workspace == "/w"


def test_sub_agents_are_conversations_below(play_stream):
    call = {"type": "tool_use", "id": "task1", "name": "Task", "input": {}}
    result = {"type": "tool_result", "tool_use_id": "task1", "content": [text("found it")]}
    played = play_stream(
        "claude",
        lines(
            INIT,
            assistant("m1", call),
            user(text("Look for it"), parent_tool_use_id="task1"),
            assistant("m2", text("Looking"), parent_tool_use_id="task1"),
            user(result, tool_use_result={"agentId": "a9"}),
            assistant("m3", text("Found")),
        ),
    )
    assert [turn.role for turn in played.turns] == [Role.ASSISTANT, Role.TOOL, Role.ASSISTANT]
    assert played.turns[1].parts[0].response == "found it"
    assert played.turns[1].meta == {"agent_id": "a9"}
    (below,) = (head for head in played.heads.values() if head.parent)
    assert (below.native_id, below.relation) == ("s1/task1", Relation.SUBAGENT)
    assert [turn.text for turn in played.threads[below.id]] == ["Look for it", "Looking"]


def test_what_the_harness_wrote_is_no_prompt(play_stream):
    turns = play_stream(
        "claude",
        lines(
            INIT,
            user(text("<system-reminder>be brief</system-reminder>"), isSynthetic=True),
            {"type": "system", "subtype": "compact_boundary", "session_id": "s1",
             "compact_metadata": {"trigger": "auto"}},
            {"type": "system", "subtype": "status", "session_id": "s1"},
        ),
    ).turns  # fmt: skip
    assert [turn.role for turn in turns] == [Role.SYSTEM, Role.SYSTEM]
    assert turns[1].parts == (Extension("claude.compact_boundary", {"trigger": "auto"}),)


def test_errors_without_words_still_show(play_stream):
    ended = {"type": "result", "subtype": "error_max_turns", "session_id": "s1", "is_error": True}
    turns = play_stream("claude", lines(INIT, assistant("m1", text("Hm")), ended)).turns
    assert [turn.text for turn in turns] == ["Hm", "error_max_turns"]
    told = {**ended, "errors": ["one", "two"]}
    assert play_stream("claude", lines(INIT, told)).turns[0].text == "one; two"


def test_unknown_blocks_are_kept_and_counted(play_stream):
    played = play_stream("claude", lines(INIT, assistant("m1", {"type": "hologram", "text": "x"})))
    assert played.turns[0].parts == (Extension("claude.hologram", {"text": "x"}),)
    assert played.drift["block/hologram"] == 1


def test_another_session_is_another_conversation(play_stream):
    other = {**assistant("m2", text("Two")), "session_id": "s2"}
    played = play_stream("claude", lines(INIT, assistant("m1", text("One")), other))
    assert {head.native_id for head in played.heads.values()} == {"s1", "s2"}
