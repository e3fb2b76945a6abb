"""Keys come in order, both ways, and no table sees into another."""

from dejavu.archive import Archive
from dejavu.archive.backends.transaction import Reader, Writer
from dejavu.archive.keys import TABLES


def test_items_run_both_ways_within_bounds(archive: Archive) -> None:
    def fill(txn: Writer) -> None:
        for key in (b"a", b"b", b"c"):
            txn.put("namespaces", key, key)

    archive.backend.write(fill)

    def keys(
        start: bytes = b"", stop: bytes | None = None, *, reverse: bool = False
    ) -> list[bytes]:
        return archive.backend.read(
            lambda txn: [key for key, _ in txn.items("namespaces", start, stop, reverse=reverse)]
        )

    assert keys() == keys(b"a", b"d") == [b"a", b"b", b"c"]
    assert keys(reverse=True) == [b"c", b"b", b"a"]
    assert keys(b"b") == [b"b", b"c"]
    assert keys(b"a", b"c", reverse=True) == [b"b", b"a"]
    assert keys(b"x") == keys(b"a", b"a") == keys(b"b", b"a", reverse=True) == []


def test_tables_are_apart(archive: Archive) -> None:
    def fill(txn: Writer) -> None:
        for table in TABLES:
            txn.put(table, b"\xff" * 9, table.encode())

    def look(txn: Reader) -> dict[str, list[bytes]]:
        return {
            table: [value for key, value in txn.items(table, reverse=True) if key == b"\xff" * 9]
            for table in TABLES
        }

    archive.backend.write(fill)
    found = archive.backend.read(look)
    assert found == {table: [table.encode()] for table in TABLES}


def test_under_a_prefix(archive: Archive) -> None:
    def fill(txn: Writer) -> None:
        for key in (b"a", b"ab", b"ab\xff", b"ab\xff\xff", b"ac"):
            txn.put("namespaces", key, key)

    archive.backend.write(fill)
    look = archive.backend.read
    assert look(lambda txn: [k for k, _ in txn.under("namespaces", b"ab")]) == [
        b"ab",
        b"ab\xff",
        b"ab\xff\xff",
    ]
    assert look(lambda txn: list(txn.keys("namespaces", b"ab\xff"))) == [b"ab\xff", b"ab\xff\xff"]
    assert look(lambda txn: list(txn.keys("namespaces", b"x"))) == []
