from collections.abc import Callable

from tests.factories.archive import Result

from dejavu.model import Conversation


def test_one_line_a_turn(dejavu: Callable[..., Result], archived: list[Conversation]) -> None:
    shown = dejavu("timeline", archived[1].id, "--json").json
    assert [row["role"] for row in shown["timeline"]] == ["user", "assistant", "tool", "system"]
    assert shown["timeline"][0]["summary"] == "Why does retry_budget run dry?"
    assert len(dejavu("timeline", archived[1].id).out.splitlines()) == 4
    assert len(dejavu("timeline", "last", "--jsonl").out.splitlines()) == 2


def test_why_stands_below_its_turn(
    dejavu: Callable[..., Result], archived: list[Conversation]
) -> None:
    assert dejavu("rationale", archived[1].id, "--command", "").code == 0
    shown = dejavu("timeline", archived[1].id, "--json").json["timeline"]
    assert [bool(row.get("rationale")) for row in shown] == [False, True, False, False]
    assert "RetryBudget.tick" in shown[1]["rationale"]
    lines = dejavu("timeline", archived[1].id).out.splitlines()
    assert "why" in lines[2]
    assert len(lines) == 5
