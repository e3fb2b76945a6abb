"""The matrix: nearest by codes, by signs first where there are many, and without what was removed."""

from pathlib import Path
from typing import Any

import pytest

from dejavu.recall.history.documents import Document
from dejavu.recall.history.vector_store import VectorStore

np: Any = pytest.importorskip("numpy")


def filled(root: Path, count: int) -> tuple[VectorStore, Any, Any]:
    store = VectorStore(root)
    state = store.begin("random", 128)
    rows = np.random.default_rng(1).standard_normal((count, 128)).astype(np.float32)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    for number, name in enumerate(("/a", "/b"), 1):
        part = rows[number - 1 :: 2]
        places = [Document(number, n, n, n, n, 0.0, 0.0) for n in range(len(part))]
        state = store.replace(state, number, 0, places, part, name)
    return store, state, rows


@pytest.mark.parametrize("count", [300, 45_000])
def test_the_nearest(tmp_path: Path, count: int) -> None:
    store, state, rows = filled(tmp_path, count)
    assert store.state() == state
    for number in (0, 7, count - 1):
        (best, *_) = store.nearest(state, rows[number], 5)
        assert (best.conversation, best.seq) == (1 + number % 2, number // 2)
        assert best.score == pytest.approx(1.0, abs=0.02)
        own = store.nearest(state, rows[number], 5, "/a")
        assert {document.conversation for document in own} == {1}
    assert store.nearest(state, rows[0], 5, "/none") == []
    exact = np.sort(rows @ rows[3])[-5:]
    assert [d.score for d in store.nearest(state, rows[3], 5)][:2] == pytest.approx(
        list(exact[::-1][:2]), abs=0.02
    )


def test_what_is_removed_and_written_anew(tmp_path: Path) -> None:
    store, state, rows = filled(tmp_path, 9_000)
    state = store.replace(state, 1, 0, [], np.zeros((0, 128), np.float32), "")
    assert store.nearest(state, rows[0], 1)[0].conversation == 2
    state = store.replace(state, 2, 400, [], np.zeros((0, 128), np.float32), "")
    assert (state.rows, state.removed) == (9_000, 8_600)
    state = store.compact(state)
    assert (state.rows, state.removed) == (400, 0)
    assert store.nearest(state, rows[1], 1)[0].score == pytest.approx(1.0, abs=0.02)


def test_a_dimension_that_does_not_fit(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="64 divides"):
        VectorStore(tmp_path).begin("odd", 100)


@pytest.mark.parametrize("count", [12, 40, 300])
def test_among_texts_that_are_all_near_a_cosine_says_little(tmp_path: Path, count: int) -> None:
    store = VectorStore(tmp_path)
    state = store.begin("random", 128)
    asked, *others = np.random.default_rng(2).standard_normal((count + 1, 128)).astype(np.float32)
    asked /= np.linalg.norm(asked)
    rows = np.array([asked * 0.6 * np.linalg.norm(one) + one for one in others])
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    places = [Document(1, n, n, n, n, 0.0, 0.0) for n in range(count)]
    state = store.replace(state, 1, 0, places, rows, "/a")
    usual = float(np.median(rows @ asked))
    assert usual - 0.1 < store.background(state, asked) < usual + 0.15
    assert 0.1 < store.background(state, asked, "/none") < 0.3
