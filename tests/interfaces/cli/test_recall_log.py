"""`dejavu recall-log`: what was recalled, the newest first."""

from collections.abc import Callable

from tests.factories.archive import Result


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
