from collections.abc import Callable

from tests.surfaces.conftest import Result

from dejavu.record import Conversation


def test_one_line_a_turn(dejavu: Callable[..., Result], archived: list[Conversation]) -> None:
    shown = dejavu("timeline", archived[1].id, "--json").json
    assert [row["role"] for row in shown["timeline"]] == ["user", "assistant", "tool", "system"]
    assert shown["timeline"][0]["summary"] == "Why does retry_budget run dry?"
    assert len(dejavu("timeline", archived[1].id).out.splitlines()) == 4
    assert len(dejavu("timeline", "last", "--jsonl").out.splitlines()) == 2
