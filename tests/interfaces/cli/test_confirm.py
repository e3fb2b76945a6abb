"""`dejavu confirm`: the confidence moves; a cut id will do; a hit can be judged; unknown: exit code 3."""

from collections.abc import Callable
from unittest.mock import ANY

from tests.factories.archive import Result

from dejavu.model import Conversation


def test_confidence_moves(dejavu: Callable[..., Result]) -> None:
    kept = dejavu("remember", "a fact to judge", "--json").json
    assert dejavu("confirm", kept["id"], "--json").json["confidence"] == 0.6
    assert "confidence 0.6 ->" in dejavu("confirm", kept["id"][:-2]).out


def test_unknown(dejavu: Callable[..., Result]) -> None:
    assert dejavu("confirm", "nobody").code == 3
    assert dejavu("confirm").code == 2


def test_a_hit_can_be_judged(dejavu: Callable[..., Result], archived: list[Conversation]) -> None:
    found = dejavu("recall", "what is the retry budget?", "--json").json["hits"]
    sure = next(hit for hit in found if hit["sure"])
    name = f"{sure['conversation']}#{sure['seq'] + 1}"
    assert dejavu("confirm", name, "--json").json == {
        "hit": name, "at": ANY, "given": True, "right": True,
    }  # fmt: skip
    assert "marked as right; memory had given it as sure" in dejavu("confirm", name).out
    unsure = dejavu("recall", "the budget of the zoo's new aquarium", "--json").json["uncertain"][0]
    kept_back = f"{unsure['conversation']}#{unsure['seq'] + 1}"
    assert "marked as wrong; memory had been unsure of it" in dejavu("reject", kept_back).out
    assert dejavu("confirm", "claude_nowhere_0#1").code == 3


def test_a_hit_may_have_a_short_id(
    dejavu: Callable[..., Result], archived: list[Conversation]
) -> None:
    found = dejavu("recall", "what is the retry budget?", "--json").json["hits"]
    hit = next(hit for hit in found if hit["sure"])
    whole, turn = hit["conversation"], hit["seq"] + 1
    back = [one.id for one in archived].index(whole)
    for name in (f"{whole[:-1]}#{turn}", f"last~{back}#{turn}"):
        assert dejavu("confirm", name, "--json").json["hit"] == f"{whole}#{turn}"
        assert dejavu("reject", name, "--json").json["hit"] == f"{whole}#{turn}"
