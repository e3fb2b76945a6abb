"""A whole store in pages, so that one store can be written into another of any kind.

`pages` yields every record of one moment, about 8 MiB at a time. Costs O(store).
"""

from collections.abc import Iterator

from ..keys import TABLES
from .transaction import Reader, Writer

_PAGE = 8 << 20

Record = tuple[str, bytes, bytes]


def pages(txn: Reader) -> Iterator[list[Record]]:
    """(table, key, value) of every record, table by table, in order."""
    page: list[Record] = []
    size = 0
    for table in TABLES:
        for key, value in txn.stored_items(table):
            page.append((table, key, value))
            size += len(key) + len(value)
            if size >= _PAGE:
                yield page
                page, size = [], 0
    yield page


def put(txn: Writer, page: list[Record]) -> None:
    """Write a page's records."""
    for table, key, value in page:
        txn.put_stored(table, key, value)
