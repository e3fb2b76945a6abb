"""Reversals and repetitions in other words are told by meaning; the vectors were made by the model."""

from collections import Counter

from benchmarks.recall.reversals import by_meaning, pairs
from hypothesis import given
from hypothesis import strategies as st

from dejavu.recall.memory.contradiction import contradiction
from dejavu.recall.memory.reversal import reversal, same_by_meaning
from dejavu.recall.memory.similarity import SAME


def counted(half: str) -> Counter[tuple[str, str]]:
    return Counter((label, by_meaning(old, new, cosine)) for old, new, label, cosine in pairs(half))


def test_the_pairs_it_was_fitted_on() -> None:
    found = counted("tune")
    assert found["conflict", "conflict"] >= 64  # of 82; 7 by words alone
    assert found["beside", "conflict"] <= 9  # of 125
    assert found["same", "same"] >= 20  # of 22


def test_the_pairs_it_was_not_fitted_on() -> None:
    found = counted("held")
    assert found["conflict", "conflict"] >= 27  # of 40; 2 by words alone
    assert found["beside", "conflict"] <= 2  # of 40
    assert found["same", "same"] >= 11  # of 12
    assert found["same", "conflict"] <= 1
    assert not found["beside", "same"]


def test_the_number_of_another_thing_is_no_other_number() -> None:
    android, ios = "The mobile app targets Android 9", "The mobile app targets iOS 15"
    assert not reversal(android, ios, 0.69).contradicts
    assert reversal(android, "The mobile app targets Android 12", 0.69).contradicts


def test_two_subjects_are_two_facts() -> None:
    assert not reversal(
        "The iOS build takes 20 minutes", "Android takes the build server 12 minutes", 0.7
    ).contradicts


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


def test_who_does_what_to_whom_is_no_turn_of_phrase() -> None:
    there, back = (
        "Orders are sent from the shop to the depot",
        "The shop has orders sent from the depot",
    )
    assert same_by_meaning(there, back, 0.97) < SAME
    assert (
        same_by_meaning(
            "Guests can see the price list", "The price list can be seen by guests", 0.95
        )
        >= SAME
    )


@given(st.text(max_size=80), st.text(max_size=80), st.floats(-1, 1))
def test_never_raises(old: str, new: str, cosine: float) -> None:
    reversal(old, new, cosine)
    same_by_meaning(old, new, cosine)
