"""The log is whole, in order, and pages join."""

from dejavu.archive import Archive, Batch, Change, TurnUpdate, log
from dejavu.archive.records import FORMAT
from dejavu.model import Conversation, Role, Text, Turn


def test_entries_come_after_a_sequence_in_order(archive: Archive) -> None:
    heads = [Conversation(id=f"c{n:04}", agent="x") for n in range(600)]
    archive.commit(
        Batch(updates=[TurnUpdate(summary, 0, [Turn(role=Role.USER)]) for summary in heads])
    )
    entries = list(archive.log())
    assert [entry.sequence for entry in entries] == list(range(1, 601))
    assert [entry.conversation for entry in entries] == [summary.id for summary in heads]
    assert list(archive.log(after=598)) == entries[598:]
    assert list(archive.log(after=600)) == []
    assert archive.backend.read(lambda txn: log.entries(txn, 5, 2)) == entries[5:7]


def test_replaced_says_that_something_is_gone(archive: Archive) -> None:
    summary = Conversation(id="c", agent="x")
    for start, words in ((0, "ab"), (2, "c"), (1, "z")):
        turns = [Turn(role=Role.USER, parts=(Text(word),)) for word in words]
        archive.commit(Batch(updates=[TurnUpdate(summary, start, turns)]))
    archive.maintenance.prune(agent="x")
    assert [(e.change, e.start, e.stop, e.was, e.replaced) for e in archive.log()] == [
        (Change.TURNS, 0, 2, 0, False),
        (Change.TURNS, 2, 3, 2, False),
        (Change.TURNS, 1, 2, 3, True),
        (Change.REMOVED, 0, 0, 2, True),
    ]


def test_a_fresh_store_has_its_record(archive: Archive) -> None:
    meta = archive.backend.read(log.load_meta)
    assert meta is not None
    assert len(meta.archive_id) == 16
    assert (meta.format, meta.sequence) == (FORMAT, 0)
