"""Every record of a store is in some page, once."""

import os

from dejavu.archive import Archive
from dejavu.archive.backends import pages
from dejavu.archive.backends.transaction import Reader, Writer


def test_pages_hold_everything_once(archive: Archive) -> None:
    held = {("raw", b"%d" % n): os.urandom(1 << 20) for n in range(20)}
    held |= {("namespaces", b"%d" % n): b"x" for n in range(500)}

    def fill(txn: Writer) -> None:
        pages.put(txn, [(table, key, value) for (table, key), value in held.items()])

    def look(txn: Reader) -> list[list[pages.Record]]:
        return list(pages.pages(txn))

    archive.backend.write(fill)
    found = archive.backend.read(look)
    records = [record for page in found for record in page]
    assert len(found) > 2
    assert len(records) == len({(table, key) for table, key, _ in records})
    assert held.items() <= {(table, key): value for table, key, value in records}.items()
