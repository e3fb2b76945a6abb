from collections.abc import Callable
from pathlib import Path

from tests.factories.archive import Result
from tests.factories.session_files import claude_session

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
    assert (nothing.code, nothing.out) == (3, "")
    assert "nothing found for 'xylophone'" in nothing.err
    assert dejavu("search", "xylophone", "--json").code == 0  # an empty list is an answer


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
    empty = {"query": "x", "hits": [], "next": None, "behind": 0, "partial": None}
    assert dejavu("search", "x", "--json").json == empty


def test_a_mistyped_or_begun_word_finds_what_was_meant(
    dejavu: Callable[..., Result], archived: list[Conversation]
) -> None:
    for query, meant in (
        ("bugdet", "'budget'"),
        ("budge", "words that start with it"),
        ("retyr bugdet", "'retry'"),
    ):
        found = dejavu("search", query)
        assert archived[1].id in found.out, query
        assert meant in found.err
    assert dejavu("search", "budget").err == ""


def test_hits_stand_below_their_conversation(
    dejavu: Callable[..., Result], archived: list[Conversation]
) -> None:
    lines = dejavu("search", "budget").out.splitlines()
    assert not lines[0].startswith(" ")
    assert archived[1].workspace in lines[0]
    assert all(line.startswith(f"  {archived[1].id}#") for line in lines[1:])
    assert len(lines) > 2
    row = dejavu("search", "budget", "--json").json["hits"][0]
    assert (row["title"], row["workspace"]) == (archived[1].title, archived[1].workspace)


def test_the_best_hit_is_opened_where_it_stands(
    dejavu: Callable[..., Result], archived: list[Conversation]
) -> None:
    best = dejavu("search", "budget", "--json").json["hits"][0]
    shown = dejavu("search", "budget", "--open").out
    assert shown == dejavu("show", f"{best['conversation']}#{best['seq'] + 1}").out


def test_filters_in_the_query(dejavu: Callable[..., Result], archived: list[Conversation]) -> None:
    end = archived[1].workspace.rpartition("/")[2]
    for query in (f"in:{end}", "agent:Claude", "after:2000-01-01", "role:user", "before:1d"):
        assert dejavu("search", f"budget {query}", "--json").json["hits"], query
    for query in ("agent:amp", "before:2000-01-01", "-retry -budget -tick"):
        assert not dejavu("search", f"budget {query}", "--json").json["hits"], query
    nowhere = dejavu("search", "budget in:nowhere")
    assert (nowhere.out, "is not a folder" in nowhere.err) == ("", True)


def test_a_session_that_was_never_synced_is_found(
    dejavu: Callable[..., Result], home: Path
) -> None:
    path = claude_session(home, "a zeppelin over the lake")
    assert {hit["agent"] for hit in dejavu("search", "zeppelin", "--json").json["hits"]} == {
        "claude"
    }
    more = path.read_text().replace("zeppelin", "submarine").replace('"u0"', '"u1"')
    path.with_name("s2.jsonl").write_text(more.replace('"s1"', '"s2"'))
    answer = dejavu("search", "submarine", "--json").json
    assert len(answer["hits"]) >= 1
    assert answer["partial"] is None
    assert dejavu("recall", "submarine lake", "--everywhere", "--json").json["hits"]
