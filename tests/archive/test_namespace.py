"""Shelves keep small records of other parts, apart from one another."""

from pathlib import Path

import pytest

from dejavu.archive import Archive, NamespaceTxn
from dejavu.model import ArchiveError


def test_shelves_are_apart_and_outlive_the_process(root: Path) -> None:
    with Archive.open(root) as archive:
        archive.namespace("memories").put(b"a", b"1")
        archive.namespace("memory").put(b"a", b"2")
    with Archive.open(root) as archive:
        assert archive.namespace("memories").get(b"a") == b"1"
        assert list(archive.namespace("memory").items()) == [(b"a", b"2")]
        assert archive.namespace("memory").delete(b"a")
        assert not archive.namespace("memory").delete(b"a")
        assert archive.namespace("memory").get(b"a") is None


def test_many_records_come_in_order(archive: Archive) -> None:
    namespace = archive.namespace("many")
    namespace.change(lambda txn: [txn.put(b"%04d" % n, b"x") for n in reversed(range(700))])
    assert [key for key, _ in namespace.items()] == [b"%04d" % n for n in range(700)]
    assert len(list(namespace.items(b"05"))) == 100


def test_a_change_is_all_or_nothing(archive: Archive) -> None:
    namespace = archive.namespace("x")

    def fail(txn: NamespaceTxn) -> None:
        txn.put(b"a", b"1")
        assert txn.get(b"a") == b"1"
        assert list(txn.items()) == [(b"a", b"1")]
        assert txn.delete(b"a")
        txn.put(b"a", b"2")
        raise KeyError("no")

    with pytest.raises(KeyError):
        namespace.change(fail)
    assert namespace.get(b"a") is None


@pytest.mark.parametrize("name", ["", "a b", "x" * 31, "a\0"])
def test_a_name_is_a_word(archive: Archive, name: str) -> None:
    with pytest.raises(ArchiveError, match="cannot name a namespace"):
        archive.namespace(name)
