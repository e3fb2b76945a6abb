"""What is said again in other words is one memory; a number, a denial or an order makes it another."""

from collections import Counter

import pytest
from benchmarks.recall.reversals import by_meaning, pairs

from dejavu.recall.memory.repetition import same_by_meaning
from dejavu.recall.memory.reversal import Likeness
from dejavu.recall.memory.similarity import SAME


def read(old: str, new: str) -> Likeness:
    """Every word as near as can be to itself, and to its neighbours far."""
    left, right = old.split(), new.split()
    rows = [[1.0 if a.lower() == b.lower() else 0.4 for b in right] for a in left]
    return Likeness(0.97, left, right, rows)


@pytest.mark.parametrize(
    ("half", "known"), [("tune", 21), ("held", 11), ("fresh", 8), ("sealed", 9)]
)
def test_no_other_memory_is_taken_for_one_that_is_there(half: str, known: int) -> None:
    found = Counter(
        (label, by_meaning(old, new, cosine)) for old, new, label, cosine in pairs(half)
    )
    assert found["conflict", "same"] + found["beside", "same"] == 0
    assert found["same", "same"] >= known


def test_a_number_or_a_denial_makes_another_memory() -> None:
    for old, new in (
        ("Notes on approach number 3", "Notes on approach number 4"),
        ("The proxy caches answers", "The proxy never caches answers"),
    ):
        assert same_by_meaning(old, new, 0.99, read(old, new)) < SAME
        assert same_by_meaning(old, new, 0.99) < SAME


def test_the_order_counts_where_it_carries_the_meaning() -> None:
    for old, new in (
        ("Prefer tabs over spaces", "Prefer spaces over tabs"),
        ("Orders are sent from the shop to the depot", "The shop has orders sent from the depot"),
    ):
        assert same_by_meaning(old, new, 0.99, read(old, new)) < SAME


def test_a_sentence_turned_round_is_the_same() -> None:
    old, new = "In tests freeze the clock", "Freeze the clock in tests"
    assert same_by_meaning(old, new, 0.95, read(old, new)) >= SAME


def test_the_cosine_alone_decides_for_vectors_of_another_model() -> None:
    assert same_by_meaning("Logs go to Loki", "Loki gets logs", 0.97) == 0.97
