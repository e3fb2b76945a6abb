"""The distance between two words."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dejavu.model.edit_distance import distance


@pytest.mark.parametrize(
    ("one", "other", "steps"),
    [("budget", "bugdet", 1), ("budget", "budge", 1), ("retry", "retry", 0), ("", "abc", 3),
     ("kitten", "sitting", 3), ("ab", "ba", 1), ("abc", "cab", 2)],
)  # fmt: skip
def test_known_distances(one: str, other: str, steps: int) -> None:
    assert distance(one, other) == distance(other, one) == steps


@given(st.text("abc", max_size=8), st.text("abc", max_size=8))
def test_it_is_none_only_for_equals_and_bounded(one: str, other: str) -> None:
    steps = distance(one, other)
    assert (steps == 0) == (one == other)
    assert abs(len(one) - len(other)) <= steps <= max(len(one), len(other))
