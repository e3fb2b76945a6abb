"""Embedding: silent where no vectors are."""

from dejavu.archive import Archive
from dejavu.recall import Recall


def test_half_built_is_no_fault(told: Archive) -> None:
    assert Recall(told, tiers=["embedding"]).search("retry budget") == []
    assert "embedding" not in Recall(told).search("retry budget")[0].tiers
