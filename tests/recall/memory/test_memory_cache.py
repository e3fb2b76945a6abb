"""What a process knows follows the journal, whoever wrote it."""

from dejavu.archive import Archive
from dejavu.recall.memory.memory_cache import (
    MemoryCache,
    append_journal,
    get_memory,
    get_sequences,
    put_memory,
)
from dejavu.recall.memory.memory_records import NAMESPACE, MemoryRecord, memory_key


def test_it_follows_changes_one_by_one(archive: Archive) -> None:
    namespace, known = archive.namespace(NAMESPACE), MemoryCache()
    known.follow(namespace)
    one = MemoryRecord(id="a", text="alpha", created_at=1.0, updated_at=1.0)
    namespace.change(
        lambda txn: (put_memory(txn, one), append_journal(txn, [("remember", "a")], 1.0))
    )
    known.follow(namespace)
    assert known.memories == {"a": one}
    assert get_memory(namespace, "a") == one
    assert get_sequences(namespace).journal == 1
    namespace.change(
        lambda txn: (txn.delete(memory_key("a")), append_journal(txn, [("forget", "a")], 2.0))
    )
    known.follow(namespace)
    assert known.memories == {}
    assert known.relevance.ask("alpha") == {}


def test_what_an_earlier_version_left_without_a_successor_holds_again(archive: Archive) -> None:
    namespace = archive.namespace(NAMESPACE)
    left = MemoryRecord(
        id="a", text="alpha", confidence=0.15, created_at=1.0, updated_at=1.0, superseded_by="forgotten"
    )  # fmt: skip
    namespace.change(
        lambda txn: (put_memory(txn, left), append_journal(txn, [("remember", "a")], 1.0))
    )
    found = get_memory(namespace, "a")
    assert found is not None
    assert (found.superseded_by, found.confidence) == (None, 0.5)
