"""`dejavu forget`: gone for good; nothing is forgotten where one id is unknown."""

from collections.abc import Callable

from tests.factories.archive import Result


def test_gone_for_good(dejavu: Callable[..., Result]) -> None:
    kept = dejavu("remember", "the zebra passphrase", "--json").json
    assert dejavu("forget", kept["id"], "nobody").code == 3
    assert dejavu("forget", kept["id"], "--json").json == {"forgotten": [kept["id"]]}
    assert dejavu("recall", "zebra", "--json").json["memories"] == []
    assert dejavu("memories", "--json").json["memories"] == []
    assert dejavu("forget", kept["id"]).code == 3


def test_what_it_had_superseded_holds_again(dejavu: Callable[..., Result]) -> None:
    old = dejavu("remember", "The gate code is 1234", "--json").json
    new = dejavu("remember", "The gate code is 9876", "--json").json
    assert new["supersedes"] == [old["id"]]
    assert f"{old['id']} holds again: The gate code is 1234" in dejavu("forget", new["id"]).out
    (left,) = dejavu("memories", "--json").json["memories"]
    assert (left["id"], left["superseded_by"]) == (old["id"], None)
