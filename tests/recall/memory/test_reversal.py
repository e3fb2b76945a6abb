"""Reversals in other words are told by how the model reads two texts; what it read is in a file."""

from collections import Counter

import pytest
from benchmarks.recall.reversals import by_meaning, kept_likeness, pairs
from hypothesis import given
from hypothesis import strategies as st

from dejavu.recall.memory.contradiction import contradiction
from dejavu.recall.memory.reversal import SURE, Likeness, repeats, reverses, signs

OLD = "Maps are drawn with Leaflet"
REVERSED, BESIDE, SAID_AGAIN = (
    "MapLibre draws our maps",
    "Map tiles are cached for a week",
    "Leaflet draws the maps",
)


def like(new: str) -> Likeness:
    cosine = next(c for old, said, _, c in pairs("fresh") if (old, said) == (OLD, new))
    return kept_likeness(OLD, new, cosine)


def test_a_reversal_is_more_probable_than_another_fact() -> None:
    assert reverses(OLD, REVERSED, like(REVERSED)) > 2 * reverses(OLD, BESIDE, like(BESIDE))
    assert repeats(OLD, SAID_AGAIN, like(SAID_AGAIN)) > repeats(OLD, REVERSED, like(REVERSED))


def test_what_is_left_over_is_the_value() -> None:
    found = signs(OLD, REVERSED, like(REVERSED))
    assert found is not None
    assert (found.left_old, found.share_old, found.share_new) == pytest.approx((1, 2 / 3, 2 / 3))
    assert not found.whole_old
    again = signs(OLD, SAID_AGAIN, like(SAID_AGAIN))
    assert again is not None
    assert (again.whole_old, again.whole_new, again.left_old) == (True, True, 0)


def test_two_subjects_of_one_form_are_told_apart() -> None:
    for old, new in (
        ("The iOS build takes 20 minutes", "The Android build takes 12 minutes"),
        ("Alice is in the platform team", "Bob is in the platform team"),
        ("In staging, the timeout is 5 seconds", "In production, the timeout is 30 seconds"),
    ):
        cosine = next(c for first, second, _, c in pairs("tune") if (first, second) == (old, new))
        found = signs(old, new, kept_likeness(old, new, cosine))
        assert found is not None
        assert found.subjects or found.places
        assert by_meaning(old, new, cosine) != "conflict"


@pytest.mark.parametrize(
    ("half", "sure", "named", "wrong"),
    [("tune", 18, 77, 0), ("held", 13, 38, 0), ("fresh", 7, 38, 1), ("sealed", 14, 55, 2)],
)
def test_reversals_are_found_and_facts_left_alone(
    half: str, sure: int, named: int, wrong: int
) -> None:
    found = Counter(
        (label, by_meaning(old, new, cosine)) for old, new, label, cosine in pairs(half)
    )
    assert found["conflict", "conflict"] >= sure
    assert found["conflict", "conflict"] + found["conflict", "possible"] >= named
    assert found["beside", "conflict"] <= wrong


@pytest.mark.parametrize("cosine", [0.2, float("nan")])
def test_what_the_model_did_not_read_is_no_reversal(cosine: float) -> None:
    assert reverses(OLD, REVERSED, Likeness(cosine, (), (), ())) == 0.0


def test_two_counted_things_are_two_facts() -> None:
    assert not contradiction("The index has 4 shards", "The index has 2 replicas").contradicts
    assert contradiction("The index has 4 shards", "The index has 9 shards").contradicts


@given(
    st.lists(st.text(min_size=1, max_size=8), min_size=1, max_size=6),
    st.lists(st.text(min_size=1, max_size=8), min_size=1, max_size=6),
    st.floats(-1, 1),
)
def test_a_probability_comes_of_any_words(old: list[str], new: list[str], cosine: float) -> None:
    read = Likeness(cosine, old, new, [[cosine] * len(new)] * len(old))
    assert 0.0 <= reverses(" ".join(old), " ".join(new), read) <= 1.0
    assert SURE < 1.0
