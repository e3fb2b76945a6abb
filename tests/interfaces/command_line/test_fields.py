"""Chosen fields and templates of rows."""

from collections.abc import Callable

import pytest
from tests.factories.archive import Result

from dejavu.interfaces.command_line.output import formatted, select
from dejavu.model import Conversation, InvalidValueError

ROWS = [{"id": "a", "title": "One\x1b[2J", "turn_count": 2}, {"id": "b", "parent": None}]


def test_fields_come_in_the_order_asked_for() -> None:
    assert select(ROWS, ["turn_count", "id"]) == [
        {"turn_count": 2, "id": "a"}, {"turn_count": None, "id": "b"},
    ]  # fmt: skip
    assert select([], ["anything"]) == []
    with pytest.raises(InvalidValueError, match="no field 'nonesuch'; there are id, title"):
        select(ROWS, ["id", "nonesuch"])


def test_a_template_is_filled_in_safely() -> None:
    lines = list(formatted(ROWS, r"{id}\t{title} {turn_count} {parent} {x y}"))
    assert lines[1] == "b\t   {x y}"
    assert lines[0].startswith("a\tOne")
    assert "\x1b" not in lines[0]
    with pytest.raises(InvalidValueError, match="nonesuch"):
        list(formatted(ROWS, "{nonesuch}"))


def test_commands_take_fields(dejavu: Callable[..., Result], archived: list[Conversation]) -> None:
    rows = dejavu("list", "--json=id,agent").json["conversations"]
    assert rows == [{"id": one.id, "agent": one.agent} for one in archived]
    found = dejavu("search", "budget", "--json=conversation,seq").json
    assert found["query"] == "budget"
    assert all(set(hit) == {"conversation", "seq"} for hit in found["hits"])
    assert dejavu("show", "last", "--json=id").json == {"id": archived[0].id}
    wrong = dejavu("list", "--json=id,nonesuch")
    assert (wrong.code, wrong.out) == (2, "")
    assert "turn_count" in wrong.err
    assert set(dejavu("stats", "--json=total").json) == {"total"}
    rows = dejavu("stats", "--by", "agent", "--json=agent,turns").json["agents"]
    assert {row["agent"] for row in rows} == {one.agent for one in archived}
    assert dejavu("status", "--json=id,state").json["sessions"] == []
    assert set(dejavu("list", "--json").rows[0]) > {"id", "agent", "title"}


def test_commands_take_a_template(
    dejavu: Callable[..., Result], archived: list[Conversation]
) -> None:
    out = dejavu("list", "--format", "{id} {turn_count}").out
    assert out.splitlines() == [f"{one.id} {one.turn_count}" for one in archived]
    out = dejavu("search", "budget", "--format", "{conversation}#{seq}").out
    assert out.startswith(f"{archived[1].id}#")
    assert dejavu("list", "--format", "{nonesuch}").code == 2
    out = dejavu("stats", "--by", "agent", "--format", "{agent}").out
    assert set(out.split()) == {one.agent for one in archived}
    assert dejavu("stats", "--format", "{agent}").code == 2
    assert dejavu("status", "--format", "{id}").out == ""


@pytest.mark.parametrize(
    "line", ["list --json id,title", "search x --json conversation,seq", "stats --json total,cost"]
)
def test_fields_apart_from_their_option_are_refused(
    dejavu: Callable[..., Result], archived: list[Conversation], line: str
) -> None:
    done = dejavu(*line.split())
    assert (done.code, done.out) == (2, "")
    assert f"fields are given as --json={line.split()[-1]}" in done.err
    assert dejavu("search", "--json", "retry,budget").code == 0, "words, and no fields"
