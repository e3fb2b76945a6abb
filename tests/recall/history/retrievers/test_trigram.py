"""Trigram: silent for known words."""

from dejavu.archive import Archive
from dejavu.recall import Recall


def test_only_unknown_words_are_looked_for(told: Archive) -> None:
    Recall(told).catch_up()
    only = Recall(told, tiers=["trigram"])
    assert only.search("retention window") == []
    assert only.search("retentoin windwo")[0].tiers == ("trigram",)
    assert only.search("zzzzzzzz") == []
