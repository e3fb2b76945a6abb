"""Turns named on a command line."""

import pytest

from dejavu.interfaces.turn_range import TurnRange, parse_turns, split_anchor
from dejavu.model import InvalidValueError


@pytest.mark.parametrize(
    ("text", "turns"),
    [
        ("10-20", (9, 20)), ("10", (9, 10)), ("10-", (9, None)), ("-20", (0, 20)), ("1", (0, 1)),
        (" 3 - 4 ", (2, 4)), ("5-5", (4, 5)),
    ],
)  # fmt: skip
def test_a_range(text: str, turns: tuple[int, int | None]) -> None:
    assert parse_turns(text)[:2] == turns


@pytest.mark.parametrize(
    "text", ["0", "0-3", "", "-", "x", "5-4", "1-2-3", "1.5", "--", "9999999999", "\u0663"]
)
def test_what_is_no_range(text: str) -> None:
    with pytest.raises(InvalidValueError, match="write 10-20"):
        parse_turns(text)


def test_an_anchor_shows_what_stands_around_a_turn() -> None:
    assert split_anchor("last") == ("last", None)
    assert split_anchor("abc#959") == ("abc", TurnRange(956, 961, 958))
    assert split_anchor("last#2") == ("last", TurnRange(0, 4, 1))
    assert split_anchor("abc#10-20") == ("abc", TurnRange(9, 20))
    with pytest.raises(InvalidValueError):
        split_anchor("abc#")


def test_the_last_turn() -> None:
    assert parse_turns(" last ").within(9) == TurnRange(8, None)
    assert split_anchor("last~1#last")[1] == TurnRange(-3, None, -1)
    assert TurnRange(-3, None, -1).within(9) == TurnRange(6, None, 8)
    assert TurnRange(-3, None, -1).within(1) == TurnRange(0, None, 0)
    assert parse_turns("2-4").within(9) == TurnRange(1, 4)
    with pytest.raises(InvalidValueError, match="last for the last turn"):
        split_anchor("last#-1")
