"""Reversals and repetitions in other words are told by meaning; the vectors were made by the model."""

import tomllib
from collections import Counter
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from dejavu.recall.memory.contradiction import contradiction
from dejavu.recall.memory.reversal import reversal, same_by_meaning
from dejavu.recall.memory.similarity import SAME, similarity

PAIRS = tomllib.loads((Path(__file__).parent / "reversals.toml").read_text("utf-8"))


def verdict(old: str, new: str, cosine: float) -> str:
    if max(similarity(old, new), same_by_meaning(old, new, cosine)) >= SAME:
        return "same"
    opposed = contradiction(old, new).contradicts or reversal(old, new, cosine).contradicts
    return "conflict" if opposed else "beside"


def counted(half: str) -> Counter[tuple[str, str]]:
    return Counter(
        (label, verdict(old, new, cosine))
        for group in PAIRS[half]
        for old, new, label, cosine in group["pairs"]
    )


def test_the_pairs_it_was_tuned_on() -> None:
    found = counted("tune")
    assert found["conflict", "conflict"] >= 48  # of 62
    assert found["beside", "conflict"] <= 1  # of 69
    assert found["same", "same"] == 14


def test_the_pairs_it_was_not_tuned_on() -> None:
    found = counted("held")
    assert found["conflict", "conflict"] >= 9  # of 20; 1 by words alone
    assert found["beside", "conflict"] <= 1  # of 20
    assert found["same", "same"] >= 6  # of 8
    assert not found["same", "conflict"]
    assert not found["beside", "same"]


def test_what_is_far_in_meaning_is_no_reversal() -> None:
    assert not reversal("The limit is 100", "The limit was raised to 250", 0.2).contradicts
    assert reversal("The limit is 100", "The limit was raised to 250", 0.7).contradicts


def test_two_counted_things_are_two_facts() -> None:
    assert not contradiction("The index has 4 shards", "The index has 2 replicas").contradicts
    assert contradiction("The index has 4 shards", "The index has 9 shards").contradicts


def test_one_of_several_is_not_said_again() -> None:
    assert same_by_meaning("Notes on approach number 3", "Notes on approach number 4", 0.99) < SAME


def test_the_order_counts_where_it_carries_the_meaning() -> None:
    assert same_by_meaning("Prefer tabs over spaces", "Prefer spaces over tabs", 0.99) < SAME
    assert (
        same_by_meaning("The proxy terminates TLS", "TLS is terminated by the proxy", 0.9) >= SAME
    )


@given(st.text(max_size=80), st.text(max_size=80), st.floats(-1, 1))
def test_never_raises(old: str, new: str, cosine: float) -> None:
    reversal(old, new, cosine)
    same_by_meaning(old, new, cosine)
