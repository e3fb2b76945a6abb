"""Relevance: rare words weigh more, what was removed is gone."""

from dejavu.recall.memory.memory_records import MemoryRecord
from dejavu.recall.memory.relevance import Relevance, packed


def memory(identity: str, text: str, vector: bytes = b"") -> MemoryRecord:
    return MemoryRecord(
        id=identity, text=text, created_at=0.0, updated_at=0.0, vector=vector, space="s"
    )


def test_rare_words_tell_more() -> None:
    known = Relevance()
    for number in range(20):
        known.add(memory(str(number), f"deploy the common service number{number}"))
    known.add(memory("rare", "zebra service"))
    asked = known.ask("zebra deploy")
    assert max(asked, key=asked.__getitem__) == "rare"
    assert all(0.0 < part <= 1.0 for part in asked.values())
    assert known.candidates("zebra service")[0] == "rare"


def test_removed_is_gone_with_its_trigrams() -> None:
    known = Relevance()
    known.add(memory("a", "the zebra crossing"))
    assert known.ask("zebar crossing")["a"] > 0.5
    known.remove("a")
    known.remove("a")
    assert known.ask("zebra zebar crossing") == {}
    assert len(known) == 0


def test_vectors_of_another_space_are_strangers() -> None:
    known = Relevance()
    known.add(memory("a", "x", packed([3.0, 0.0])))
    assert known.nearest([1.0, 0.0], "s", 0.0) == {"a": 1.0}
    assert known.nearest([1.0, 0.0], "other", 0.0) == known.nearest([1.0], "s", 0.0) == {}
    assert known.cosine([0.0, 2.0], "a") == 0.0
    assert known.cosine([1.0], "a") is None
