"""Rows of an agent's SQLite database: which of them are there, adding them, taking them out.

Adding is one transaction: all of them are seen, or none. The database may be in use; what waits
for its lock gives up after five seconds.

Tested in: tests/services/undelete/test_undelete.py
"""

import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

from dejavu.model import ProviderError
from dejavu.providers.restorer import Row, RowsItem

_WAIT = 5.0  # seconds for another writer to end


def compare_rows(item: RowsItem) -> tuple[list[Row], list[Row]]:
    """The rows that are absent, and those that are there with other values.

    Raises:
        ProviderError: it is no such database.
    """
    with closing(_connected(item.path)) as connection:
        return _compared(connection, item.rows)


def add_rows(path: Path, rows: Iterable[Row]) -> list[Row]:
    """Add the rows that are absent; return them.

    Raises:
        ProviderError: a row is there with other values, or the database refuses.
    """
    with closing(_connected(path)) as connection:
        try:
            connection.execute("BEGIN IMMEDIATE")
            absent, different = _compared(connection, rows)
            if different:
                raise ProviderError(f"{path}: rows appeared just now; nothing was added")
            for row in absent:
                names = _known(connection, row)
                marks = ", ".join("?" for _ in names)
                columns = ", ".join(f'"{name}"' for name in names)
                connection.execute(
                    f'INSERT INTO "{row.table}" ({columns}) VALUES ({marks})',  # noqa: S608 - names of the database's own columns
                    [row.values[name] for name in names],
                )
            connection.execute("COMMIT")
        except sqlite3.Error as error:
            raise ProviderError(f"{path} did not take the rows: {error}") from error
    return absent


def remove_rows(path: Path, rows: Iterable[Row]) -> list[Row]:
    """Remove the rows if each is there as it was added; return those that differ, and remove none then.

    Raises:
        ProviderError: the database refuses.
    """
    added = list(rows)
    with closing(_connected(path)) as connection:
        try:
            connection.execute("BEGIN IMMEDIATE")
            absent, different = _compared(connection, added)
            if not different:
                for row in reversed([row for row in added if row not in absent]):
                    where = " AND ".join(f'"{name}" = ?' for name in row.key)
                    connection.execute(
                        f'DELETE FROM "{row.table}" WHERE {where}',  # noqa: S608 - as above
                        [row.values[name] for name in row.key],
                    )
            connection.execute("COMMIT")
        except sqlite3.Error as error:
            raise ProviderError(f"{path} did not let the rows go: {error}") from error
    return different


def _connected(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(
        f"{path.absolute().as_uri()}?mode=rw", uri=True, timeout=_WAIT, isolation_level=None
    )
    connection.row_factory = sqlite3.Row
    connection.execute("PRAGMA foreign_keys = ON")
    return connection


def _compared(connection: sqlite3.Connection, rows: Iterable[Row]) -> tuple[list[Row], list[Row]]:
    absent: list[Row] = []
    different: list[Row] = []
    try:
        for row in rows:
            names = _known(connection, row)
            there = _there(connection, row)
            if there is None:
                absent.append(row)
            elif not row.shared and any(not _same(there[name], row.values[name]) for name in names):
                different.append(row)
    except sqlite3.Error as error:
        raise ProviderError(f"this is not a database of the agent's: {error}") from error
    return absent, different


def _there(connection: sqlite3.Connection, row: Row) -> sqlite3.Row | None:
    where = " AND ".join(f'"{name}" = ?' for name in row.key)
    query = f'SELECT * FROM "{row.table}" WHERE {where}'  # noqa: S608 - names of a restorer's own
    found: sqlite3.Row | None = connection.execute(
        query, [row.values[name] for name in row.key]
    ).fetchone()
    return found


def _same(there: Any, value: Any) -> bool:
    """Whether two values say the same; JSON may be written in several ways."""
    if there == value:
        return True
    if (
        isinstance(there, str)
        and isinstance(value, str)
        and there[:1] in "{["
        and value[:1] in "{["
    ):
        import json

        try:
            return bool(json.loads(there) == json.loads(value))
        except ValueError:
            return False
    return False


def _known(connection: sqlite3.Connection, row: Row) -> list[str]:
    """The columns of a row that the table has.

    Raises:
        sqlite3.Error: there is no such table.
    """
    found = connection.execute("SELECT name FROM pragma_table_info(?)", (row.table,)).fetchall()
    if not found:
        raise sqlite3.OperationalError(f"no such table: {row.table}")
    names = {str(one["name"]) for one in found}
    return [name for name in row.values if name in names]


def encoded(rows: Iterable[Row]) -> Iterator[list[Any]]:
    """Rows as JSON holds them."""
    for row in rows:
        yield [row.table, row.values, list(row.key), row.shared]


def decoded(rows: Iterable[Any]) -> list[Row]:
    """The inverse."""
    return [Row(table, values, tuple(key), shared) for table, values, key, shared in rows]
