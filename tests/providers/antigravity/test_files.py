"""Antigravity's steps."""

from pathlib import Path
from typing import Any

from dejavu.model import ToolCallResponse
from dejavu.providers import PROVIDERS, Home


def step(source: str, kind: str, content: str = "", **more: Any) -> dict[str, Any]:
    return {"source": source, "type": kind, "content": content, **more}


CALLING = step("MODEL", "PLANNER_RESPONSE", tool_calls=[{"name": "a"}, {"name": "b"}])


def test_the_whole_log_is_read_where_there_is_one(data: Path) -> None:
    (source,) = PROVIDERS["antigravity"].discover(Home(data / "antigravity", {}))
    assert source.path.name == "transcript_full.jsonl"


def test_what_tools_gave_follows_in_their_order(parse: Any) -> None:
    book, _ = parse(
        "antigravity",
        [CALLING, step("MODEL", "VIEW_FILE", "one"), step("SYSTEM", "ERROR_MESSAGE", "no")],
    )
    _, one, two = book.turns["native"]
    assert one.parts == (ToolCallResponse("0.0", "one", False),)
    assert two.parts == (ToolCallResponse("0.1", "no", True),)


def test_a_call_that_was_never_answered_takes_no_later_result(parse: Any) -> None:
    book, _ = parse(
        "antigravity",
        [CALLING, step("USER_EXPLICIT", "USER_INPUT", "stop"), step("SYSTEM", "NOTICE", "stopped")],
    )
    assert [turn.role for turn in book.turns["native"]] == ["assistant", "user", "system"]


def test_unknown_sources_are_kept_and_counted(parse: Any) -> None:
    book, parser = parse("antigravity", [step("ORACLE", "SAYS", "x"), 7])
    assert len(book.turns["native"]) == 1
    assert parser.drift["ORACLE"] == parser.drift["(unreadable)"] == 1
