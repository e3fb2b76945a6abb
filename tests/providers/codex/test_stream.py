"""Codex's items."""

import json

import pytest

from dejavu.model import Reasoning, Role, Text, ToolCall, ToolCallResponse

START = {"type": "thread.started", "thread_id": "t1"}


def item(stage, **fields):
    return {"type": f"item.{stage}", "item": fields}


def turns_of(play_stream, *events):
    return play_stream("codex", [json.dumps(event) for event in (START, *events)]).turns


def test_a_command_is_a_call_while_it_runs_and_a_result_when_it_ends(play_stream):
    running = item("started", id="i1", type="command_execution", command="ls", status="in_progress",
                   aggregated_output="", exit_code=None)  # fmt: skip
    (call,) = turns_of(play_stream, running)
    assert call.parts == (ToolCall("i1", "command_execution", {"command": "ls"}),)
    ended = item("completed", id="i1", type="command_execution", command="ls", status="failed",
                 aggregated_output="no\n", exit_code=2)  # fmt: skip
    call, result = turns_of(play_stream, running, running, ended)
    assert len(call.parts) == 1
    assert result.parts == (ToolCallResponse("i1", "no\n", True),)
    assert result.meta == {"exit_code": 2}


def test_two_commands_at_once(play_stream):
    both = [
        item(stage, id=name, type="command_execution", command=name, aggregated_output=name,
             status="completed")
        for stage in ("started", "completed") for name in ("a", "b")
    ]  # fmt: skip
    turns = turns_of(play_stream, *both)
    assert [turn.role for turn in turns] == [Role.ASSISTANT, Role.TOOL, Role.TOOL]
    assert [part.id for turn in turns for part in turn.parts] == ["a", "b", "a", "b"]


def test_an_mcp_call(play_stream):
    call, result = turns_of(
        play_stream,
        item("completed", id="i1", type="mcp_tool_call", server="files", tool="read",
             arguments={"path": "x"}, result={"content": []}, error=None, status="completed"),
    )  # fmt: skip
    assert call.parts == (ToolCall("i1", "files.read", {"path": "x"}),)
    assert result.parts == (ToolCallResponse("i1", {"result": {"content": []}}, False),)


def test_a_file_change_has_no_output_but_its_state(play_stream):
    changes = [{"path": "x", "kind": "add"}]
    done = item("completed", id="i1", type="file_change", changes=changes, status="completed")
    call, result = turns_of(play_stream, done)
    assert call.parts[0].arguments == {"changes": changes}
    assert result.parts == (ToolCallResponse("i1", "completed", False),)


def test_a_message_may_grow(play_stream):
    grows = [
        item("started", id="i1", type="reasoning", text="H"),
        item("updated", id="i1", type="reasoning", text="Hm"),
        item("completed", id="i1", type="reasoning", text="Hmm"),
        item("completed", id="i2", type="agent_message", text="Hello"),
    ]
    for count, parts in ((2, (Reasoning("Hm"),)), (4, (Reasoning("Hmm"), Text("Hello")))):
        (turn,) = turns_of(play_stream, *grows[:count])
        assert turn.parts == parts


def test_the_form_of_september_2025(play_stream):
    (turn,) = turns_of(
        play_stream, item("completed", id="0", item_type="assistant_message", text="Hello")
    )
    assert turn.text == "Hello"


def test_a_runs_tokens_stand_at_its_last_answer(play_stream, stream_lines):
    usage = play_stream("codex", stream_lines("codex-tool")).turns[-1]
    assert usage.usage.input_tokens > 0
    assert usage.meta["usage_of"] == "run"


@pytest.mark.parametrize("kind", ["todo_list", "error"])
def test_notes_are_system_turns(play_stream, kind):
    (turn,) = turns_of(
        play_stream, item("completed", id="i1", type=kind, message="careful", items=[])
    )
    assert turn.role is Role.SYSTEM


def test_an_unknown_item_is_counted(play_stream):
    played = play_stream("codex", [json.dumps(item("completed", id="i1", type="hologram"))])
    assert played.drift["item/hologram"] == 1
