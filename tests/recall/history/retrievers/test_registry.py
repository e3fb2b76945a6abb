"""The tiers are known by name and weighed."""

from dejavu.recall.history.retrievers import RETRIEVERS


def test_names_are_unique_and_weights_positive() -> None:
    names = [tier.name for tier in RETRIEVERS]
    assert names == ["lexical", "entity", "trigram", "files", "graph", "embedding"]
    assert all(0 < tier.weight <= 1 for tier in RETRIEVERS)
