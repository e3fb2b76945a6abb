"""The index says how far it got, whose it is, and lets one writer at it."""

from pathlib import Path

import pytest

from dejavu.archive.search import index
from dejavu.archive.search.index import SMALL_HEAP, SearchIndex, facet
from dejavu.model import Conversation, Role, Text, Turn

HEAD = Conversation(id="a", agent="x", started_at=5.0)
ME = b"m" * 16


def turns(*words: str) -> list[Turn]:
    return [Turn(seq=n, role=Role.USER, parts=(Text(word),)) for n, word in enumerate(words)]


def filled(folder: Path, sequence: int = 7) -> SearchIndex:
    made = SearchIndex(folder, ME)
    writer = made.writer(SMALL_HEAP)
    assert writer is not None
    with writer:
        writer.add(1, HEAD, turns("one", "two", "three", ""))
        writer.commit(sequence)
    return made


def test_the_watermark_moves_with_the_commit(tmp_path: Path) -> None:
    made = SearchIndex(tmp_path / "i", ME)
    assert made.sequence == 0
    writer = made.writer(SMALL_HEAP)
    assert writer is not None
    with writer:
        writer.add(1, HEAD, turns("one"))
        assert made.sequence == 0
        for sequence in (3, 9, 12):
            writer.commit(sequence)
            assert made.sequence == sequence
    assert SearchIndex(tmp_path / "i", ME).sequence == 12


def test_empty_turns_are_no_documents(tmp_path: Path) -> None:
    assert filled(tmp_path / "i").searcher().num_docs == 3 + 1  # and the watermark


def test_another_incarnation_or_version_is_made_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    filled(tmp_path / "i")
    assert SearchIndex(tmp_path / "i", b"o" * 16).sequence == 0
    filled(tmp_path / "i")
    monkeypatch.setattr(index, "VERSION", index.VERSION + 1)
    assert SearchIndex(tmp_path / "i", ME).sequence == 0


def test_an_uncommitted_beginning_is_another_s(tmp_path: Path) -> None:
    made = filled(tmp_path / "i")
    writer = made.writer(SMALL_HEAP)
    assert writer is not None
    with writer:
        writer._writer.delete_documents_by_query(made.marks())
        writer._writer.commit()
    assert made.sequence == -1
    assert SearchIndex(tmp_path / "i", ME).sequence == 0


def test_one_writer_at_a_time(tmp_path: Path) -> None:
    made = filled(tmp_path / "i")
    writer = made.writer(SMALL_HEAP)
    assert writer is not None
    with writer:
        assert made.writer(SMALL_HEAP) is None
        assert SearchIndex(tmp_path / "i", ME).writer(SMALL_HEAP) is None
    again = made.writer(SMALL_HEAP)
    assert again is not None


def test_removing_from_a_turn_on(tmp_path: Path) -> None:
    made = filled(tmp_path / "i")
    for start, left in ((2, 2), (0, 0)):
        writer = made.writer(SMALL_HEAP)
        assert writer is not None
        with writer:
            writer.remove(1, start)
            writer.commit(8)
        assert made.searcher().num_docs == left + 1


def test_facets_tell_kinds_apart() -> None:
    assert facet("role", "user") != facet("agent", "user")
    assert 0 <= facet("role", "user") < 2**64
