"""Qwen Code's chain."""

from typing import Any

from dejavu.model import Relation


def record(n: int, kind: str, **fields: Any) -> dict[str, Any]:
    return {"uuid": f"q{n}", "type": kind, "sessionId": "native", **fields}


def parts(*given: dict[str, Any]) -> dict[str, Any]:
    return {"parts": list(given)}


def test_what_no_person_wrote_is_no_prompt(parse: Any) -> None:
    book, _ = parse(
        "qwen",
        [
            record(1, "user", message=parts({"text": "go"})),
            record(2, "user", provenance="hook", message=parts({"text": "be brief"})),
        ],
    )
    assert [turn.role for turn in book.turns["native"]] == ["user", "system"]


def test_each_answer_is_a_turn_with_its_tokens(parse: Any) -> None:
    told = {"promptTokenCount": 9, "candidatesTokenCount": 1}
    answers = [
        record(n, "assistant", message=parts({"text": str(n)}), usageMetadata=told) for n in (1, 2)
    ]
    book, _ = parse("qwen", answers)
    assert [(turn.text, turn.usage.input_tokens) for turn in book.turns["native"]] == [
        ("1", 9),
        ("2", 9),
    ]


def test_commands_titles_and_resumed_sessions(parse: Any) -> None:
    book, _ = parse(
        "qwen",
        [
            record(1, "user", message=parts({"text": "go"})) | {"sessionId": "earlier"},
            record(2, "system", subtype="slash_command", systemPayload={"rawCommand": "/stats"}),
            record(3, "system", subtype="custom_title", systemPayload={"customTitle": "Frogs"}),
        ],
    )
    head = book.heads["native"]
    assert (head.title, head.relation) == ("Frogs", Relation.RESUME)
    assert book.turns["native"][1].text == "/stats"
