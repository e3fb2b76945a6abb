"""`dejavu reject`: the confidence moves; a cut id will do; an unknown one is exit code 3."""

from collections.abc import Callable

from tests.factories.archive import Result


def test_confidence_moves(dejavu: Callable[..., Result]) -> None:
    kept = dejavu("remember", "a fact to judge", "--json").json
    assert dejavu("reject", kept["id"], "--json").json["confidence"] == 0.35
    assert "confidence 0.35 ->" in dejavu("reject", kept["id"][:-2]).out


def test_unknown(dejavu: Callable[..., Result]) -> None:
    assert dejavu("reject", "nobody").code == 3
    assert dejavu("reject").code == 2
