"""Databases of agents turned into traps: each function changes an honest one in place.

A table is replaced by something that has the same columns and no end, pages point to each other, side
files are pipes. Used by tests and by the drill of sources without an end.
"""

import os
import sqlite3
import struct
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

Trap = Callable[[Path, str], None]
"""Takes the database and one of its tables."""


def tables(path: Path) -> list[str]:
    """The plain tables of a database."""
    with closing(sqlite3.connect(path)) as connection:
        rows = connection.execute(
            "SELECT name FROM sqlite_master WHERE type = 'table' AND sql NOT LIKE '%VIRTUAL%'"
            " AND name NOT LIKE 'sqlite_%'"
        )
        return [name for (name,) in rows]


def _columns(connection: sqlite3.Connection, table: str) -> list[str]:
    return [row[1] for row in connection.execute(f'PRAGMA table_info("{table}")')]


def _run(path: Path, *statements: str) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA legacy_alter_table=ON")
        connection.execute("PRAGMA journal_mode=delete")
        for statement in statements:
            connection.execute(statement)
        connection.commit()


def endless_view(path: Path, table: str) -> None:
    """A view that counts up for ever."""
    with closing(sqlite3.connect(path)) as connection:
        names = _columns(connection, table)
    columns = ", ".join(f"'s' || n AS \"{name}\"" for name in names)
    _run(
        path,
        f'ALTER TABLE "{table}" RENAME TO kept_aside',
        f'CREATE VIEW "{table}" AS WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c)'
        f" SELECT {columns} FROM c",
    )


def crossed_view(path: Path, table: str) -> None:
    """A view of a table joined with itself until it has no end."""
    with closing(sqlite3.connect(path)) as connection:
        names = _columns(connection, table)
    columns = ", ".join(f'a0."{name}" AS "{name}"' for name in names)
    joined = ", ".join(f"many a{i}" if i else "kept_aside a0" for i in range(12))
    values = ", ".join(f"({i})" for i in range(200))
    _run(
        path,
        f'ALTER TABLE "{table}" RENAME TO kept_aside',
        "CREATE TABLE many (x)",
        f"INSERT INTO many VALUES {values}",
        f'CREATE VIEW "{table}" AS SELECT {columns} FROM {joined}',
    )


def virtual_table(path: Path, table: str) -> None:
    """A virtual table: a module of code answers for it."""
    with closing(sqlite3.connect(path)) as connection:
        names = _columns(connection, table)
    columns = ", ".join(f'"{name}"' for name in names if name.lower() not in ("rank", "rowid"))
    _run(
        path,
        f'ALTER TABLE "{table}" RENAME TO kept_aside',
        f'CREATE VIRTUAL TABLE "{table}" USING fts5({columns})',
    )


def looped_pages(path: Path, table: str) -> None:
    """A tree of pages in which all children of a page are one page: rows without end."""
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA journal_mode=delete")
        connection.execute("PRAGMA page_size=512")
        connection.execute("VACUUM")
        names = _columns(connection, table)
        (statement,) = connection.execute(
            "SELECT sql FROM sqlite_master WHERE type = 'table' AND name = ?", (table,)
        ).fetchone()
        plain = ", ".join(f'"{name}"' for name in names)
        connection.execute("PRAGMA foreign_keys=OFF")
        connection.execute(f'DROP TABLE "{table}"')
        connection.execute(f'CREATE TABLE "{table}" ({plain})' if statement else "")
        marks = ", ".join("?" * len(names))
        rows = [tuple(f"s{i}" for _ in names) for i in range(6000)]
        connection.executemany(f'INSERT INTO "{table}" VALUES ({marks})', rows)
        connection.commit()
        (root,) = connection.execute(
            "SELECT rootpage FROM sqlite_master WHERE type = 'table' AND name = ?", (table,)
        ).fetchone()
    data = bytearray(path.read_bytes())
    inner = [n for n in range(2, len(data) // 512 + 1) if data[(n - 1) * 512] == 5 and n != root]
    chain = [root, *inner[:16]]
    for page, child in zip(chain, [*chain[1:], None], strict=True):
        start = (page - 1) * 512
        (count,) = struct.unpack_from(">H", data, start + 3)
        places = [struct.unpack_from(">H", data, start + 12 + 2 * i)[0] for i in range(count)]
        for place in [start + 8, *(start + place for place in places)]:
            if child is not None:
                struct.pack_into(">I", data, place, child)
    path.write_bytes(data)


def side_pipe(suffix: str) -> Trap:
    """A named pipe in place of a side file."""

    def make(path: Path, _table: str) -> None:
        side = path.with_name(path.name + suffix)
        side.unlink(missing_ok=True)
        os.mkfifo(side)

    return make


def pipe(path: Path, _table: str) -> None:
    """A named pipe in place of the database."""
    path.unlink()
    os.mkfifo(path)


def holes(path: Path, _table: str) -> None:
    """A terabyte of holes after the honest pages."""
    os.truncate(path, 1 << 40)


def holes_in_copy(path: Path, table: str) -> None:
    """A terabyte of holes and a log without an index: it would have to be copied."""
    holes(path, table)
    path.with_name(path.name + "-wal").write_bytes(b"\x37\x7f\x06\x82" + bytes(1000))


TRAPS: dict[str, Trap] = {
    "endless view": endless_view,
    "crossed view": crossed_view,
    "virtual table": virtual_table,
    "looped pages": looped_pages,
    "pipe as -wal": side_pipe("-wal"),
    "pipe as -shm": side_pipe("-shm"),
    "pipe as -journal": side_pipe("-journal"),
    "pipe as database": pipe,
    "holes": holes,
    "holes with a log": holes_in_copy,
}
