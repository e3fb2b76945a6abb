"""An empty batch is nothing, and says so."""

from dejavu.archive import Archive, Batch


def test_an_empty_batch_changes_nothing(archive: Archive) -> None:
    assert archive.commit(Batch()) == ((), 0)
    assert list(archive.log()) == []
    assert archive.maintenance.verify().faults == []
