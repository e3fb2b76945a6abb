"""Rivals: of one scope; a vector does not hide a changed number."""

from unittest.mock import Mock

import pytest

from dejavu.archive import Archive
from dejavu.recall.memory import memory_changes
from dejavu.recall.memory.conflicts import candidate_conflicts, memory_similarity
from dejavu.recall.memory.memory import Memory
from dejavu.recall.memory.memory_cache import MemoryCache
from dejavu.recall.memory.memory_records import MemoryRecord
from dejavu.recall.memory.relevance import packed


def memory(identity: str, text: str, workspace: str = "", vector: bytes = b"") -> MemoryRecord:
    return MemoryRecord(
        id=identity, text=text, created_at=1.0, updated_at=1.0, workspace=workspace,
        vector=vector, space="s" if vector else "",
    )  # fmt: skip


def known(*memories: MemoryRecord) -> MemoryCache:
    held = MemoryCache()
    for one in memories:
        held.memories[one.id] = one
        held.relevance.add(one)
    return held


def test_other_scopes_are_no_rivals() -> None:
    held = known(memory("a", "The port is 8080"), memory("b", "The port is 80", "/w"))
    assert [one.id for one in candidate_conflicts(held, memory("c", "The port is 9090"), [])] == [
        "a"
    ]


def test_vectors_find_and_words_decide() -> None:
    same = [1.0, 0.0]
    old = memory("a", "The port is 8080", vector=packed(same))
    far = memory("b", "Nothing of the kind", vector=packed([0.99, 0.1]))
    held = known(old, far)
    fresh = memory("c", "The port is 9090", vector=packed(same))
    assert {one.id for one in candidate_conflicts(held, fresh, same)} == {"a", "b"}
    assert memory_similarity(held, fresh, old, same) < 0.95
    assert memory_similarity(held, fresh, far, same) < 0.95, "one of them states a number"
    other = memory("d", "None of that", vector=packed(same))
    assert memory_similarity(held, other, far, same) > 0.95
    assert memory_similarity(held, fresh, old, []) < 0.95


@pytest.mark.parametrize(("chance", "stays"), [(0.2, True), (0.6, True), (0.95, False)])
def test_only_a_sure_reversal_changes_the_older(
    archive: Archive, monkeypatch: pytest.MonkeyPatch, chance: float, *, stays: bool
) -> None:
    memories = Memory(archive)
    older = memories.remember("Maps are drawn with Leaflet")
    monkeypatch.setattr(memory_changes, "reversal_chance", Mock(return_value=chance))
    newer = memories.remember("MapLibre draws maps")
    assert newer.supersedes == (() if stays else (older.id,))
    assert (memories.get(older.id).confidence == older.confidence) == stays
    assert memories.may_replace == (((older.id, chance),) if chance == 0.6 else ())


def test_three_that_may_be_replaced_are_named_the_most_probable_first(
    archive: Archive, monkeypatch: pytest.MonkeyPatch
) -> None:
    memories = Memory(archive)
    chances = {
        memories.remember(f"Maps of {place} are drawn with Leaflet").id: chance
        for place, chance in (("Peru", 0.4), ("Chad", 0.9), ("Oman", 0.35), ("Fiji", 0.5))
    }
    monkeypatch.setattr(
        memory_changes, "reversal_chance", lambda _cache, _new, old, _vector: chances[old.id]
    )
    memories.remember("MapLibre draws the maps of the world")
    assert [chance for _, chance in memories.may_replace] == [0.9, 0.5, 0.4]
