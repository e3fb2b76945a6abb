"""OpenCode's events."""

import pytest

from dejavu.model import Reasoning, Relation, Role, Text, ToolCallResponse, conversation_id
from dejavu.providers import HOOKS


def event(kind, **properties):
    return {"type": kind, "properties": {"sessionID": "ses_1", **properties}}


def message(key, role, **info):
    return event("message.updated", info={"id": key, "role": role, "sessionID": "ses_1", **info})


def part(key, owner, kind, **fields):
    body = {"id": key, "messageID": owner, "sessionID": "ses_1", "type": kind, **fields}
    return event("message.part.updated", part=body)


ASKED = [message("m1", "user"), part("p1", "m1", "text", text="Hi"), message("m2", "assistant")]


def test_a_part_that_grows_is_one_part(play_hooks):
    turns = play_hooks(
        "opencode",
        [*ASKED, part("p2", "m2", "reasoning", text="H"), part("p2", "m2", "reasoning", text="Hm"),
         part("p3", "m2", "text", text=""),
         event("message.part.delta", messageID="m2", partID="p3", field="text", delta="Hel"),
         event("message.part.delta", messageID="m2", partID="p3", field="text", delta="lo"),
         part("p3", "m2", "text", text="Hello"),
         message("m2", "assistant", modelID="big", finish="stop", cost=0.5,
                 tokens={"input": 3, "output": 2, "cache": {"read": 1, "write": 1}})],
    ).turns  # fmt: skip
    assert turns[1].parts == (Reasoning("Hm"), Text("Hello"))
    assert turns[1].model == "big"
    assert (turns[1].usage.input_tokens, turns[1].usage.cost) == (5, 0.5)
    assert turns[1].native_id == "m2"


def test_a_prompt_told_again_is_one_prompt(play_hooks):
    again = [*ASKED, ASKED[0], ASKED[1]]
    assert [turn.text for turn in play_hooks("opencode", again).turns] == ["Hi"]


def test_synthetic_texts_are_no_prompts(play_hooks):
    assert not play_hooks(
        "opencode", [message("m1", "user"), part("p", "m1", "text", text="x", synthetic=True)]
    ).threads.get("nothing")


def test_a_tool_as_it_runs(play_hooks):
    def tool(status, **state):
        return part("p2", "m2", "tool", callID="c1", tool="bash", state={"status": status, **state})

    asked = {"command": "ls"}
    turns = play_hooks(
        "opencode",
        [*ASKED, tool("pending", input={}), tool("running", input=asked),
         tool("running", input=asked), tool("error", input=asked, error="no"),
         tool("error", input=asked, error="no")],
    ).turns  # fmt: skip
    assert [turn.role for turn in turns] == [Role.USER, Role.ASSISTANT, Role.TOOL]
    assert turns[2].parts == (ToolCallResponse("c1", "no", True),)


def test_a_child_session_is_below_its_parent(play_hooks):
    info = {"id": "ses_2", "parentID": "ses_1", "directory": "/w", "title": "Look", "version": "1"}
    child = {"type": "session.created", "properties": {"info": info}}
    said = part("p9", "m9", "text", text="found")
    said["properties"]["sessionID"] = said["properties"]["part"]["sessionID"] = "ses_2"
    played = play_hooks("opencode", [*ASKED, child, said])
    (below,) = (head for head in played.heads.values() if head.native_id == "ses_2")
    assert below.parent == conversation_id("opencode", "local", "ses_1")
    assert below.relation is Relation.SUBAGENT
    assert (below.title, below.workspace, below.agent_version) == ("Look", "/w", "1")


@pytest.mark.parametrize(
    ("payload", "status"),
    [
        (event("session.status", status={"type": "busy"}), "working"),
        (event("session.status", status={"type": "retry"}), "working"),
        (event("session.status", status={"type": "idle"}), "idle"),
        (event("session.idle"), "idle"),
        (event("session.error"), "error"),
        (event("permission.asked"), "blocked"),
        (event("permission.replied"), "working"),
        (event("question.asked"), "blocked"),
        (event("message.updated"), None),
    ],
)
def test_status(payload, status):
    assert HOOKS["opencode"].status_of(payload) == status
    assert HOOKS["opencode"].session_of(payload) == "ses_1"
