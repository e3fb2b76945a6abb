"""What a process knows follows the journal, whoever wrote it."""

from dejavu.archive import Archive
from dejavu.recall.memory.memory_cache import Known, heads, journal, keep, load
from dejavu.recall.memory.memory_records import SHELF, Remembered, memory_key


def test_it_follows_changes_one_by_one(archive: Archive) -> None:
    shelf, known = archive.shelf(SHELF), Known()
    known.follow(shelf)
    one = Remembered(id="a", text="alpha", created_at=1.0, updated_at=1.0)
    shelf.change(lambda txn: (keep(txn, one), journal(txn, [("remember", "a")], 1.0)))
    known.follow(shelf)
    assert known.memories == {"a": one}
    assert load(shelf, "a") == one
    assert heads(shelf).journal == 1
    shelf.change(lambda txn: (txn.delete(memory_key("a")), journal(txn, [("forget", "a")], 2.0)))
    known.follow(shelf)
    assert known.memories == {}
    assert known.relevance.ask("alpha") == {}
