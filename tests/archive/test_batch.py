"""An empty batch is nothing, and says so."""

from dejavu.archive import Archive, Batch, RawAppend


def test_an_empty_batch_changes_nothing(archive: Archive) -> None:
    assert archive.commit(Batch()) == ((), 0)
    assert list(archive.log()) == []
    assert archive.verify().faults == []


def test_a_batch_is_made_of_plain_values() -> None:
    assert RawAppend("s", 0, b"x") == ("s", 0, b"x", False)
    assert Batch() == Batch([], [], {}, {}, {}) or Batch().raw == ()
    assert dict(Batch().cursors) == dict(Batch().states) == dict(Batch().links) == {}
