"""Likeness: the same said again, and what only looks so."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dejavu.recall.memory.similarity import SAME, similarity


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Check wrangler.toml first", "check  wrangler.toml first!"),
        ("The tests are run with pytest", "the test is run with pytest"),
    ],
)
def test_the_same(one: str, other: str) -> None:
    assert similarity(one, other) >= SAME


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("use tabs, not spaces", "use spaces, not tabs"),
        ("the port is 8080", "the port is 8081"),
        ("never push on fridays", "push on fridays"),
        ("see src/a.py", "see src/b.py"),
        ("it is v1.2", "it is v12"),
        ("don't squash commits", "squash commits"),
    ],
)
def test_not_the_same(one: str, other: str) -> None:
    assert similarity(one, other) < SAME


@given(st.text(max_size=60), st.text(max_size=60))
def test_symmetric_and_bounded(one: str, other: str) -> None:
    assert 0.0 <= similarity(one, other) <= 1.0
    assert similarity(one, other) == pytest.approx(similarity(other, one))
