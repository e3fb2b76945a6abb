"""`dejavu recall`: memories and past turns, logged; filters; nothing found is no failure."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.factories.archive import Result

from dejavu.model import Conversation


def test_memories_and_history(dejavu: Callable[..., Result], archived: list[Conversation]) -> None:
    dejavu("remember", "The retry budget is 10 per minute")
    found = dejavu("recall", "what is the retry budget?", "--json").json
    assert found["memories"][0]["text"] == "The retry budget is 10 per minute"
    assert {"conversation", "seq", "role", "score", "excerpt", "tiers"} <= set(found["hits"][0])
    assert found["hits"][0]["conversation"] == archived[1].id
    only = dejavu("recall", "retry budget", "--no-history", "--json").json
    assert only["hits"] == []
    shown = dejavu("recall", "retry", "budget").out
    assert "10 per minute" in shown
    assert archived[1].id in shown


def test_filters(dejavu: Callable[..., Result]) -> None:
    kept = dejavu("remember", "The retry budget is 10 per minute", "--json").json
    dejavu("reject", kept["id"])
    dejavu("remember", "The retry budget is 20 per minute")
    context = ("recall", "retry budget", "--json")
    assert len(dejavu(*context).json["memories"]) == 1
    assert len(dejavu(*context, "--superseded").json["memories"]) == 2
    assert dejavu(*context, "--min-confidence", "0.9").json["memories"] == []
    assert dejavu(*context, "--limit", "0").code == 2


def test_before_anything_was_captured(dejavu: Callable[..., Result]) -> None:
    result = dejavu("recall", "xylophone", "--json")
    assert (result.code, result.json["memories"], result.json["hits"]) == (0, [], [])
    assert "nothing recalled" in dejavu("recall", "xylophone").err


def test_words_and_folders_that_are_not_utf8(dejavu: Callable[..., Any], home: Path) -> None:
    odd = "caf\udce9"
    stored = dejavu(
        "remember", odd, "opens", "at nine", "-w", f"/work/{odd}", "--tag", odd, "--json"
    )
    assert stored.json["text"] == "caf\ufffd opens at nine"
    assert stored.json["workspace"] == "/work/caf\ufffd"
    for options in ((), ("-w", f"/work/{odd}"), ("--no-history",)):
        result = dejavu("recall", odd, "opens", *options, "--json")
        assert [memory["text"] for memory in result.json["memories"]] == ["caf\ufffd opens at nine"]
