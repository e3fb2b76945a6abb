"""The blend: scaled, weighed, explained."""

import pytest

from dejavu.recall.history.score_fusion import Merging, fuse_scores, is_enough, recency_boost


def test_agreement_wins_and_silent_tiers_do_not_count() -> None:
    found = {"a": {(1, 0): 10.0, (1, 1): 9.0}, "b": {(1, 1): 0.5}, "c": {}}
    ranked = fuse_scores(found, {"a": 0.6, "b": 0.4, "c": 0.9})
    assert [one.place for one in ranked] == [(1, 1), (1, 0)]
    assert ranked[0].tiers == ("a", "b")
    assert ranked[0].score == pytest.approx(0.94)
    assert fuse_scores({"a": {}}, {"a": 1.0}) == []


def test_newness_falls_to_one() -> None:
    assert recency_boost(100.0, 100.0) > recency_boost(0.0, 9e6) > recency_boost(0.0, 1e9) >= 1.0
    assert recency_boost(200.0, 100.0) == recency_boost(100.0, 100.0)


def test_a_merging_names_what_there_is_not() -> None:
    Merging("union", {"a": 0.0}).check(["a", "b"])
    with pytest.raises(ValueError, match=r"unknown retriever 'c' \(a, b"):
        Merging(weights={"c": 1.0}).check(["a", "b"])
    for weight in (-1.0, float("inf"), float("nan")):
        with pytest.raises(ValueError, match="the weight of a"):
            Merging(weights={"a": weight}).check(["a"])


@pytest.mark.parametrize(("like", "enough"), [(0.69, False), (0.7, True), (1.0, True)])
@pytest.mark.parametrize("by_words", [True, False])
def test_seven_tenths_of_the_question_are_enough(like: float, enough: bool, by_words: bool) -> None:
    best, other = (1, 1), (2, 1)
    near = {best: like, other: 0.9}
    shares, meant = (near, {}) if by_words else ({}, near)
    assert is_enough({best: 3.0, other: 2.0}, shares, meant) is enough
    assert not is_enough({}, shares, meant)
