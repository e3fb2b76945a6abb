from collections.abc import Callable

from tests.factories.archive import Result

from dejavu.model import Conversation


def test_contract_shape(dejavu: Callable[..., Result], archived: list[Conversation]) -> None:
    found = dejavu("search", "budget", "--json").json
    assert found["query"] == "budget"
    assert {"conversation", "seq", "role", "score", "excerpt", "at", "agent"} <= set(
        found["hits"][0]
    )
    assert {hit["conversation"] for hit in found["hits"]} == {archived[1].id}


def test_identifiers_find_each_other(
    dejavu: Callable[..., Result], archived: list[Conversation]
) -> None:
    for query in ("retry_budget", "RetryBudget", "RetryBudget.tick", "retry budget"):
        hits = dejavu("search", query, "--json").json["hits"]
        assert {hit["seq"] for hit in hits} >= {0, 1}, query


def test_filters_and_nothing(dejavu: Callable[..., Result], archived: list[Conversation]) -> None:
    assert dejavu("search", "budget", "--agent", "amp", "--json").json["hits"] == []
    hits = dejavu("search", "budget", "--role", "user", "--json").json["hits"]
    assert [hit["role"] for hit in hits] == ["user"]
    nothing = dejavu("search", "xylophone")
    assert (nothing.code, nothing.out) == (0, "")


def test_odd_queries_never_raise(
    dejavu: Callable[..., Result], archived: list[Conversation]
) -> None:
    for query in ('"', "AND OR", "a:b:c", "(((", "*", "\\", "field:", "é\u202e"):
        assert dejavu("search", query, "--json").code == 0, query


def test_hostile_excerpts_are_disarmed(
    dejavu: Callable[..., Result], archived: list[Conversation]
) -> None:
    out = dejavu("search", "clear").out
    assert archived[0].id in out
    assert "\x1b" not in out


def test_before_anything_was_captured(dejavu: Callable[..., Result]) -> None:
    assert dejavu("search", "x", "--json").json == {"query": "x", "hits": [], "behind": 0}
