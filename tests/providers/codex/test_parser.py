"""Rollouts of every generation, fused and cut."""

from typing import Any

import pytest

from dejavu.model import Relation, conversation_id


def event(kind: str, **fields: Any) -> dict[str, Any]:
    return {"type": "event_msg", "payload": {"type": kind, **fields}}


def item(kind: str, **fields: Any) -> dict[str, Any]:
    return event("item_completed", item={"type": kind, **fields})


def model(kind: str, **fields: Any) -> dict[str, Any]:
    return {"type": "response_item", "payload": {"type": kind, **fields}}


def said(role: str, words: str) -> dict[str, Any]:
    return model("message", role=role, content=[{"type": "text", "text": words}])


def texts(book: Any) -> list[tuple[str, str]]:
    return [(turn.role, turn.text) for turn in book.turns["native"]]


OLD = [event("user_message", message="go"), event("agent_message", message="gone")]
NEW = [
    item("UserMessage", content=[{"type": "text", "text": "go"}]),
    item("AgentMessage", content=[{"type": "Text", "text": "gone"}]),
]
MODEL = [said("user", "go"), said("assistant", "gone")]


@pytest.mark.parametrize(
    "records",
    [
        OLD,
        NEW,
        MODEL,
        [MODEL[0], OLD[0], OLD[1], MODEL[1]],
        [NEW[0], MODEL[0], MODEL[1], NEW[1]],
        [*MODEL, *OLD],
    ],
)
def test_any_lane_alone_or_both_say_it_once(records: list[Any], parse: Any) -> None:
    book, _ = parse("codex", records)
    assert texts(book) == [("user", "go"), ("assistant", "gone")]


def test_a_resumed_file_may_change_its_lanes_midway(parse: Any) -> None:
    done = event("task_complete")
    book, _ = parse(
        "codex",
        [MODEL[0], OLD[0], OLD[1], MODEL[1], done, MODEL[0], NEW[0], NEW[1], MODEL[1], done],
    )
    assert [words for _, words in texts(book)] == ["go", "gone", "go", "gone"]


def test_every_section_of_a_thought_once(parse: Any) -> None:
    sections = [{"type": "summary_text", "text": "a"}, {"type": "summary_text", "text": "b"}]
    book, _ = parse(
        "codex",
        [
            event("agent_reasoning", text="a"),
            event("agent_reasoning", text="b"),
            model("reasoning", summary=sections),
        ],
    )
    assert [part.content for turn in book.turns["native"] for part in turn.parts] == ["a", "b"]


def test_repeated_token_counts_are_one(parse: Any) -> None:
    def count(total: int, last: int) -> dict[str, Any]:
        return event(
            "token_count",
            info={
                "total_token_usage": {"total_tokens": total},
                "last_token_usage": {"input_tokens": last, "output_tokens": 1},
            },
        )

    book, _ = parse(
        "codex",
        [
            MODEL[1],
            count(10, 9),
            said("assistant", "more"),
            count(10, 9),
            event("token_count", info=None),
        ],
    )
    assert [turn.usage and turn.usage.input_tokens for turn in book.turns["native"]] == [9, None]


def test_links_of_forks_and_sub_agents(parse: Any) -> None:
    def head(**meta: Any) -> Any:
        book, _ = parse(
            "codex", [{"type": "session_meta", "payload": {"id": "native", **meta}}, *OLD]
        )
        return book.heads["native"]

    above = conversation_id("codex", "test", "p")
    assert head().relation is None
    fork = head(forked_from_id="p")
    assert (fork.parent, fork.relation) == (above, Relation.FORK)
    based = head(history_base={"thread_id": "p", "end_ordinal_exclusive": 3})
    assert (based.parent, based.relation) == (above, Relation.FORK)
    child = head(source={"subagent": {"thread_spawn": {"parent_thread_id": "p", "depth": 1}}})
    assert (child.parent, child.relation) == (above, Relation.SUBAGENT)


def test_a_fork_keeps_its_copy_where_the_parent_is_gone(parse: Any) -> None:
    meta = {"id": "native", "forked_from_id": "p", "timestamp": "2026-03-01T10:00:00Z"}
    copied = {**MODEL[0], "timestamp": "2026-02-01T10:00:00Z"}
    book, _ = parse("codex", [{"type": "session_meta", "payload": meta}, copied, MODEL[1]])
    assert len(book.turns["native"]) == 2
