"""An empty batch is nothing, and says so."""

from dejavu.archive import Archive, Batch, RawDelta


def test_an_empty_batch_changes_nothing(archive: Archive) -> None:
    assert archive.commit(Batch()) == ((), 0)
    assert list(archive.log()) == []
    assert archive.verify().faults == []


def test_a_batch_is_made_of_plain_values() -> None:
    assert RawDelta(0, b"x") == (0, b"x", None, False)
    assert Batch() == Batch({}, (), {}, {}, {})
    assert dict(Batch().cursors) == dict(Batch().states) == dict(Batch().links) == {}
