"""`dejavu recall-log`: what was recalled, the newest first."""

from collections.abc import Callable

from tests.factories.archive import Result

from dejavu.archive.access import open_archive
from dejavu.model import Conversation
from dejavu.recall import inject


def test_recalls_are_logged(dejavu: Callable[..., Result]) -> None:
    kept = dejavu("remember", "log me about deploying", "--json").json
    dejavu("recall", "deploying", "--no-history")
    dejavu("recall", "zzz", "--no-history")
    rows = dejavu("recall-log", "--json").json["recalls"]
    assert [row["context"] for row in rows] == ["zzz", "deploying"]
    assert rows[1]["results"][0]["id"] == kept["id"]
    assert rows[0]["at"].endswith("Z")
    shown = dejavu("recall-log", "--limit", "5").out
    assert "deploying" in shown
    assert kept["id"] in shown


def test_injections_and_nothing(dejavu: Callable[..., Result]) -> None:
    assert dejavu("recall-log", "--json").rows == []
    assert dejavu("recall-log", "--injections", "--json").rows == []
    assert "no recalls yet" in dejavu("recall-log").err


def test_a_week_says_how_much_was_right(
    dejavu: Callable[..., Result], archived: list[Conversation]
) -> None:
    hit = dejavu("recall", "what is the retry budget?", "--json").json["hits"][0]
    assert "memory confirm" in dejavu("recall-log").err
    dejavu("confirm", f"{hit['conversation']}#{hit['seq'] + 1}")
    kept = dejavu("remember", "log me about deploying", "--json").json
    dejavu("reject", kept["id"])
    week = dejavu("recall-log", "--week", "--json").json
    assert (week["right"], week["wrong"], week["precision"]) == (1, 0, 1.0)
    assert (week["memories_right"], week["memories_wrong"]) == (0, 1)
    told = "; 1 hit judged, 1 right; 1 memory judged, 0 right"
    assert told in dejavu("recall-log", "--injections").err
    assert told in dejavu("recall-log", "--week").out


def test_an_injection_shows_how_what_was_given_begins(
    dejavu: Callable[..., Result], archived: list[Conversation]
) -> None:
    kept = dejavu("remember", "The retry_budget runs dry at night", "--json").json
    with open_archive(write=True) as archive:
        assert inject(archive, "why does the retry_budget run dry?")
    shown = dejavu("recall-log", "--injections").out
    assert "The retry_budget runs dry at night" in shown
    assert "#1 " in shown or "#2 " in shown
    dejavu("forget", kept["id"])
    after = dejavu("recall-log", "--injections").out
    assert kept["id"] in after
    assert "at night" not in after
