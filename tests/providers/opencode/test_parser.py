"""The log of an OpenCode session."""

from typing import Any

from dejavu.model import Relation


def message(native: str, role: str, *parts: dict[str, Any], **data: Any) -> dict[str, Any]:
    told = [{"id": f"p{n}", "data": part} for n, part in enumerate(parts)]
    return {"message": {"id": native, "created": 1, "data": {"role": role, **data}, "parts": told}}


def text(words: str, **flags: Any) -> dict[str, Any]:
    return {"type": "text", "text": words, **flags}


def tool(native: str, **state: Any) -> dict[str, Any]:
    return {"type": "tool", "tool": "bash", "callID": native, "state": state}


def test_keep_takes_back_what_follows(parse: Any) -> None:
    book, _ = parse(
        "opencode",
        [
            message("a", "user", text("1")),
            message("b", "user", text("2")),
            {"keep": 1},
            message("b", "user", text("two")),
        ],
    )
    assert [turn.text for turn in book.turns["native"]] == ["1", "two"]


def test_calls_that_have_not_returned(parse: Any) -> None:
    book, _ = parse(
        "opencode",
        [
            message(
                "a", "assistant", tool("c", status="running", input={"command": "ls"}), text("so")
            )
        ],
    )
    (turn,) = book.turns["native"]
    assert [part.__struct_config__.tag for part in turn.parts] == ["tool_call", "text"]


def test_a_sub_agents_session_names_its_parent(parse: Any) -> None:
    session = {
        "session": {"id": "s", "parent_id": "p", "directory": "/w", "title": "Child session - 1"}
    }
    book, _ = parse("opencode", [session, message("a", "user", text("go"))])
    head = book.heads["native"]
    assert (head.relation, head.workspace, head.title) == (Relation.SUBAGENT, "/w", "go")


def test_a_deleted_message_leaves_a_mark_and_unknown_parts_are_counted(parse: Any) -> None:
    book, parser = parse(
        "opencode",
        [
            {"message": {"id": "x", "deleted": True}},
            message("a", "user", {"type": "frog", "legs": 4}),
        ],
    )
    assert [turn.parts[0].kind for turn in book.turns["native"]] == [
        "opencode.deleted",
        "opencode.frog",
    ]
    assert parser.drift["part/frog"] == 1
