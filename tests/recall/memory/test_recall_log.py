"""The ledger: newest first, ids and scores, contexts cut, no text of a memory."""

from dejavu.archive import Archive
from dejavu.recall import Memory


def test_recalls_and_changes_in_their_order(archive: Archive) -> None:
    now = [100.0]
    memory = Memory(archive, clock=lambda: now[0])
    kept = memory.remember("The zebra crossing is ochre")
    now[0] = 200.0
    memory.recall("zebra crossing")
    memory.recall("x" * 5_000)
    newest, oldest = memory.recall_log()
    assert (oldest.at, oldest.context, oldest.results[0].id) == (200.0, "zebra crossing", kept.id)
    assert (len(newest.context), newest.results) == (2_000, ())
    assert memory.recall_log(limit=1) == [newest]
    memory.forget(kept)
    assert [(one.operation, one.id) for one in memory.audit()] == [
        ("remember", kept.id),
        ("forget", kept.id),
    ]
    stored = b"".join(value for _, value in archive.namespace("memories").items())
    assert b"ochre" not in stored
