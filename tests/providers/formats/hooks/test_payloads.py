"""Payloads in Claude Code's form, out of order and in part."""

from dejavu.model import Extension, Reasoning, Relation, Role, Text, ToolCall, ToolCallResponse
from dejavu.providers.formats.hooks import encode_entry

BASE = {"session_id": "s1", "cwd": "/w"}


def event(name, **fields):
    return {**BASE, "hook_event_name": name, **fields}


def shown(message, index, delta):
    return event("MessageDisplay", message_id=message, index=index, delta=delta)


def call(key="c1", command="ls"):
    return event("PreToolUse", tool_name="Bash", tool_input={"command": command}, tool_use_id=key)


def result(key="c1", output="x"):
    return event("PostToolUse", tool_name="Bash", tool_input={}, tool_use_id=key,
                 tool_response=output)  # fmt: skip


PROMPT = event("UserPromptSubmit", prompt="Hi", prompt_id="p1")


def stop(text):
    return event("Stop", last_assistant_message=text)


def test_pieces_of_a_message_come_in_any_order(play_hooks):
    turns = play_hooks(
        "claude", [PROMPT, shown("m", 2, "c"), shown("m", 0, "a"), shown("m", 1, "b")]
    )
    assert turns.turns[1].parts == (Text("abc"),)


def test_the_end_of_a_run_tells_its_last_message_once(play_hooks):
    for order in (
        [shown("m", 0, "Hel"), shown("m", 1, "lo"), stop("Hello")],
        [shown("m", 0, "Hel"), stop("Hello"), shown("m", 1, "lo")],
        [stop("Hello"), shown("m", 0, "Hel"), shown("m", 1, "lo")],
        [stop("Hello"), stop("Hello")],
    ):
        turns = play_hooks("claude", [PROMPT, *order]).turns
        assert [turn.text for turn in turns] == ["Hi", "Hello"], order


def test_what_is_displayed_after_the_next_prompt_adds_nothing(play_hooks):
    again = event("UserPromptSubmit", prompt="More", prompt_id="p2")
    turns = play_hooks(
        "claude", [PROMPT, shown("m", 0, "Hel"), stop("Hello"), again, shown("m", 1, "lo")]
    )
    assert [turn.text for turn in turns.turns] == ["Hi", "Hello", "More"]


def test_a_text_displayed_just_after_its_call_stands_before_it(play_hooks):
    timed = [(1.0, PROMPT), (2.0, call()), (2.1, shown("m", 0, "Look:"))]
    data = b"".join(encode_entry(payload, at) for at, payload in timed)
    asked = ToolCall("c1", "Bash", {"command": "ls"})
    assert play_hooks("claude", data).turns[1].parts == (Text("Look:"), asked)
    later = data + encode_entry(shown("n", 0, "Next"), 9.0)
    assert [turn.parts for turn in play_hooks("claude", later).turns[1:]] == [
        (Text("Look:"), asked),
        (Text("Next"),),
    ]


def test_a_call_without_a_result_ends_with_the_run(play_hooks):
    turns = play_hooks("claude", [PROMPT, call(), stop("I left it")]).turns
    assert [turn.role for turn in turns] == [Role.USER, Role.ASSISTANT, Role.ASSISTANT]
    refused = play_hooks("claude", [PROMPT, shown("m", 0, "Look:"), call(), stop("Look:")]).turns
    assert refused[1].parts == (Text("Look:"), ToolCall("c1", "Bash", {"command": "ls"}))
    assert len(refused) == 2


def test_a_result_without_its_call_brings_it(play_hooks):
    turns = play_hooks("claude", [PROMPT, result()]).turns
    assert turns[1].parts == (ToolCall("c1", "Bash", {}),)
    assert turns[2].parts == (ToolCallResponse("c1", "x"),)


def test_calls_side_by_side(play_hooks):
    turns = play_hooks("claude", [PROMPT, call("a"), call("b"), result("b"), result("a")]).turns
    assert [part.id for turn in turns[1:] for part in turn.parts] == ["a", "b", "b", "a"]
    assert [turn.role for turn in turns[1:]] == [Role.ASSISTANT, Role.TOOL, Role.TOOL]


def test_failures_of_tools_and_runs(play_hooks):
    failed = event("PostToolUseFailure", tool_use_id="c1", error={"message": "no such file"})
    broken = event("StopFailure", error="server", last_assistant_message="API Error: 500")
    turns = play_hooks("claude", [PROMPT, call(), failed, broken]).turns
    assert turns[2].parts == (ToolCallResponse("c1", "no such file", True),)
    assert turns[3].role is Role.SYSTEM
    assert turns[3].parts[1] == Extension(
        "claude.error", {"message": "API Error: 500", "type": "server"}
    )


def test_an_edit_shows_as_a_diff(play_hooks):
    hunk = {"oldStart": 1, "oldLines": 1, "newStart": 1, "newLines": 1, "lines": ["-a", "+b"]}
    output = {"filePath": "x", "structuredPatch": [hunk]}
    turns = play_hooks("claude", [PROMPT, call(), result(output=output)]).turns
    diff = turns[2].parts[1]
    assert diff == Extension("claude.diff", {"path": "x", "diff": "@@ -1,1 +1,1 @@\n-a\n+b"})


def test_a_hook_that_is_installed_twice(play_hooks):
    turns = play_hooks("claude", [PROMPT, PROMPT, call(), call(), result(), stop("x")]).turns
    assert [len(turn.parts) for turn in turns] == [1, 1, 1, 1]


def test_sub_agents_are_conversations_below(play_hooks):
    inside = {"agent_id": "a1", "agent_type": "Explore"}
    played = play_hooks(
        "claude",
        [PROMPT, {**call("c9"), **inside}, {**result("c9"), **inside},
         event("SubagentStop", last_assistant_message="found", **inside), stop("Done")],
    )  # fmt: skip
    assert [turn.text for turn in played.turns] == ["Hi", "Done"]
    (below,) = (head for head in played.heads.values() if head.parent)
    assert (below.native_id, below.relation) == ("s1/a1", Relation.SUBAGENT)
    assert [turn.role for turn in played.threads[below.id]][-1] is Role.ASSISTANT


def test_sessions_side_by_side(play_hooks):
    other = {"session_id": "s2"}
    played = play_hooks(
        "claude", [PROMPT, {**PROMPT, **other}, stop("one"), {**stop("two"), **other}]
    )
    texts = {head.native_id: [turn.text for turn in played.threads[key]]
             for key, head in played.heads.items()}  # fmt: skip
    assert texts == {"s1": ["Hi", "one"], "s2": ["Hi", "two"]}


def test_each_session_has_its_model(play_hooks):
    started = event("SessionStart", model="big")
    other = {"session_id": "s2"}
    small = {**started, **other, "model": "small"}
    played = play_hooks("claude", [started, small, PROMPT, stop("one"), {**stop("two"), **other}])
    models = {head.native_id: played.threads[key][-1].model for key, head in played.heads.items()}
    assert models == {"s1": "big", "s2": "small"}


def test_compaction_is_a_mark(play_hooks):
    (turn,) = play_hooks(
        "claude", [event("PostCompact", trigger="auto", compact_summary="short")]
    ).turns
    assert turn.parts == (
        Extension("claude.compact_boundary", {"trigger": "auto", "summary": "short"}),
    )


def test_no_hook_has_thoughts(play_hooks, hook_lines):
    parts = [
        part for turn in play_hooks("claude", hook_lines("claude")).turns for part in turn.parts
    ]
    assert not [part for part in parts if isinstance(part, Reasoning)]
