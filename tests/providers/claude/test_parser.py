"""Records of Claude Code in unusual orders."""

from typing import Any

from dejavu.model import Relation, Text, ToolCall, conversation_id


def env(n: int, kind: str, **fields: Any) -> dict[str, Any]:
    return {"type": kind, "uuid": f"u{n}", "parentUuid": f"u{n - 1}" if n else None, **fields}


def user(n: int, content: Any, **fields: Any) -> dict[str, Any]:
    return env(n, "user", message={"role": "user", "content": content}, **fields)


def answer(
    n: int, message: str, *blocks: dict[str, Any], out: int = 1, **fields: Any
) -> dict[str, Any]:
    body = {
        "id": message,
        "role": "assistant",
        "model": "m",
        "content": list(blocks),
        "usage": {"input_tokens": 10, "output_tokens": out},
    }
    return env(n, "assistant", message=body, **fields)


def text(words: str) -> dict[str, Any]:
    return {"type": "text", "text": words}


def call(native: str) -> dict[str, Any]:
    return {"type": "tool_use", "id": native, "name": "ls", "input": {}}


def result(n: int, native: str) -> dict[str, Any]:
    return user(n, [{"type": "tool_result", "tool_use_id": native, "content": native}])


def test_tokens_of_a_message_cut_by_results_add_up(parse: Any) -> None:
    book, _ = parse(
        "claude",
        [
            user(0, "go"),
            answer(1, "m1", text("a"), out=2),
            answer(2, "m1", call("c1"), out=5),
            result(3, "c1"),
            answer(4, "m1", call("c2"), out=9),
            answer(5, "m1", call("c3"), out=11),
            result(6, "c2"),
            result(7, "c3"),
            answer(8, "m2", text("b"), out=3),
        ],
    )
    turns = book.turns["native"]
    assert "".join(turn.role[0] for turn in turns) == "uatatta"
    spent = [turn.usage.output_tokens for turn in turns if turn.usage]
    assert spent == [5, 6, 3]
    assert sum(turn.usage.input_tokens for turn in turns if turn.usage) == 20


def test_records_written_again_say_nothing_new(parse: Any) -> None:
    records = [user(0, "go"), answer(1, "m1", text("a")), answer(2, "m1", text("b"))]
    once, _ = parse("claude", records)
    twice, _ = parse("claude", records + records)
    assert twice.turns["native"] == once.turns["native"]


def test_a_turns_parent_is_a_turn(parse: Any) -> None:
    book, _ = parse(
        "claude",
        [
            user(0, "go"),
            env(1, "attachment", attachment={"type": "date"}),
            answer(2, "m1", text("a")),
            answer(3, "m1", call("c")),
            env(4, "system", subtype="turn_duration"),
            result(5, "c"),
        ],
    )
    assert [(turn.native_id, turn.parent) for turn in book.turns["native"]] == [
        ("u0", None),
        ("u2", "u0"),
        ("u5", "u2"),
    ]


def test_side_chains_without_an_agents_name_stay_together(parse: Any) -> None:
    def side(record: dict[str, Any], above: str | None) -> dict[str, Any]:
        return {**record, "isSidechain": True, "parentUuid": above}

    book, _ = parse(
        "claude",
        [
            user(0, "go"),
            side(user(10, "one"), None),
            side(user(20, "two"), None),
            side(answer(11, "m1", text("of one")), "u10"),
            side(answer(21, "m2", text("of two")), "u20"),
            {**side(user(30, "three"), None), "agentId": "a9"},
        ],
    )
    said = {name: [turn.text for turn in turns] for name, turns in book.turns.items()}
    assert said == {
        "native": ["go"],
        "native/u10": ["one", "of one"],
        "native/u20": ["two", "of two"],
        "native/a9": ["three"],
    }
    head = book.heads["native/a9"]
    assert (head.parent, head.relation) == (
        conversation_id("claude", "test", "native"),
        Relation.SUBAGENT,
    )


def test_a_session_that_names_another_was_resumed_from_it(parse: Any) -> None:
    book, _ = parse("claude", [user(0, "go", sessionId="earlier")])
    head = book.heads["native"]
    assert (head.parent, head.relation) == (
        conversation_id("claude", "test", "earlier"),
        Relation.RESUME,
    )


def test_titles_a_persons_wins_and_another_sessions_is_not_ours(parse: Any) -> None:
    own = {"type": "summary", "summary": "Ours", "leafUuid": "u0"}
    other = {"type": "summary", "summary": "Theirs", "leafUuid": "zz"}
    named = {"type": "custom-title", "customTitle": "Named"}

    def title(*records: dict[str, Any]) -> str:
        book, _ = parse("claude", records)
        return str(book.heads["native"].title)

    assert title(other, user(0, "go")) == "go"
    assert title(user(0, "go"), own) == "Ours"
    assert title(user(0, "go"), named, own) == "Named"


def test_unknown_blocks_are_kept_and_counted(parse: Any) -> None:
    book, parser = parse("claude", [answer(0, "m1", text("a"), {"type": "frog", "legs": 4})])
    assert book.turns["native"][0].parts[1].data == {"type": "frog", "legs": 4}
    assert parser.drift["block/frog"] == 1


def test_fields_of_another_shape_lose_only_themselves(parse: Any) -> None:
    book, parser = parse(
        "claude",
        [
            {"type": "user", "message": "error", "uuid": "u0"},
            {
                "type": "user",
                "message": {"role": "user", "content": "a"},
                "uuid": "u0",
                "version": 3,
            },
            {**answer(1, "m1", text("b")), "toolUseResult": [{"type": "text"}], "cwd": ["/x"]},
            {**answer(2, "m2", text("c"), {"type": "text", "text": 7}, call("d")), "isMeta": "yes"},
            "a text",
            {"silly": "this"},
        ],
    )
    turns = book.turns["native"]
    assert [turn.text for turn in turns[:3]] == ["a", "b", "c"]
    assert isinstance(turns[2].parts[-1], ToolCall)
    assert parser.drift["(untyped)"] == 1
    assert parser.drift["(unreadable)"] == 1


def test_lone_surrogates_and_bad_utf8_are_replaced_in_the_view(parse: Any) -> None:
    raw = rb'{"type":"user","message":{"content":"a \ud83d b"}}' + b"\n"
    raw += b'{"type":"user","message":{"content":"c \xff d"}}\n'
    book, parser = parse("claude", raw)
    words = [
        part.content
        for turn in book.turns["native"]
        for part in turn.parts
        if isinstance(part, Text)
    ]
    assert words[1] == "c � d"
    assert "\ud83d" not in words[0]
    assert not parser.drift
    assert parser.state()


def test_a_message_without_end_does_not_hold_the_conversation(parse: Any) -> None:
    noise = [{"type": "pond", "uuid": f"x{n}"} for n in range(200)]
    _, parser = parse("claude", [answer(0, "m1", text("a")), *noise])
    assert len(parser.threads[""].dump()[2]) < 80
