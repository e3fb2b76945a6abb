"""What a query of someone else's SQLite database may do, and how much of it.

A database that is rescued is not trusted: a view may have no end, and pages that point to each other
make a few kilobytes endless too. `QueryLimits` allows one connection to read plain tables and nothing
else, and bounds a reading in CPU time, rows and bytes. `ReadingTimes` bounds all readings of one
database as it is. A database without tricks stays far below: rows and bytes come from its file, and the
time rises with its size.

Times are CPU seconds of the thread, so a busy machine refuses nothing. Costs a call a row, and one per
1,000 instructions of a query.
"""

import sqlite3
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from dejavu.model import UnreadableSessionError

from ..formats.long_lines import longest_line

SECONDS = 10.0
"""CPU seconds of one reading, and one more for each `_READ_RATE` bytes of the database."""
ALL_SECONDS = 60.0
"""CPU seconds of all readings of one state of a database, and one more for each `_ALL_RATE` bytes."""
_READ_RATE, _ALL_RATE = 8_000_000, 1_000_000
_FEWEST_ROWS = 10_000
_MOST_ROWS = 5_000_000
_LINES = 16  # times `longest_line`: the bytes of all values of one reading
_STEP = 1000  # instructions of SQLite between two looks at the clock
# Of sqlite3.h; Python 3.11 names them too, but not all in its type stubs.
_READ, _ATTACH, _RECURSIVE = 20, 24, 33


class QueryLimits:
    """The limits of one reading of `path`, which holds `size` bytes."""

    def __init__(self, path: Path, size: int, seconds: float) -> None:
        self._path = path
        self._rows = min(max(_FEWEST_ROWS, size), _MOST_ROWS)
        self._bytes = _LINES * longest_line()
        self._began = time.thread_time()
        self._end = self._began + seconds
        self._virtual: set[str] = set()
        self.refusal = ""
        """Why the reading was ended; empty while it was not."""

    @property
    def seconds(self) -> float:
        """CPU seconds since it began."""
        return time.thread_time() - self._began

    def apply(self, connection: sqlite3.Connection) -> None:
        """Hold a connection to these limits."""
        connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, longest_line())
        connection.set_authorizer(self._authorize)
        connection.set_progress_handler(self._tick, _STEP)
        connection.row_factory = self._row

    def begin(self, connection: sqlite3.Connection) -> None:
        """Begin the transaction, and note which tables are code.

        Raises:
            sqlite3.DatabaseError: it is no database, or its schema is damaged.
        """
        connection.execute("BEGIN")
        rows = connection.execute(
            "SELECT name FROM sqlite_master WHERE type = 'table' AND rootpage = 0"
        )
        self._virtual = {str(row[0]).lower() for row in rows}

    def error(self) -> UnreadableSessionError:
        """The refusal as an error."""
        return UnreadableSessionError(f"{self._path}: {self.refusal}")

    def _authorize(
        self,
        action: int,
        name: str | None,
        _second: str | None,
        _base: str | None,
        code: str | None,
    ) -> int:
        if code is not None or action == _RECURSIVE:
            self.refusal = f"{code or name} is a view or a trigger where its agent has a table"
        elif action == _READ and name is not None and name.lower() in self._virtual:
            self.refusal = f"{name} is a virtual table where its agent has a plain one"
        elif action == _ATTACH:
            self.refusal = "it opens another database"
        else:
            return sqlite3.SQLITE_OK
        return sqlite3.SQLITE_DENY

    def _tick(self) -> int:
        if time.thread_time() < self._end:
            return 0
        self.refusal = "reading it takes far longer than its size explains; it is damaged or a trap"
        return 1

    def _row(self, cursor: sqlite3.Cursor, values: tuple[Any, ...]) -> sqlite3.Row:
        self._rows -= 1
        self._bytes -= _size(values)
        if self._rows < 0 or self._bytes < 0:
            what = "rows" if self._rows < 0 else "bytes"
            self.refusal = f"it gives more {what} than its file can hold; it is damaged or a trap"
            raise self.error()
        return sqlite3.Row(cursor, values)


def _size(values: Sequence[Any]) -> int:
    return sum(len(value) for value in values if isinstance(value, str | bytes))


class ReadingTimes:
    """How long the readings of each database took, for as long as the database does not change."""

    _MOST = 4096  # databases that are remembered

    def __init__(self) -> None:
        self._spent: dict[Path, tuple[tuple[int, ...], float]] = {}

    def allowed(self, path: Path, stamp: tuple[int, ...], size: int) -> float:
        """CPU seconds that one more reading may take.

        Raises:
            UnreadableSessionError: the readings before took all there was.
        """
        left = ALL_SECONDS + size / _ALL_RATE - self._of(path, stamp)
        if left <= 0:
            raise UnreadableSessionError(
                f"{path}: reading it took far longer than its size explains; the rest is not read "
                "before it changes"
            )
        return min(left, SECONDS + size / _READ_RATE)

    def add(self, path: Path, stamp: tuple[int, ...], seconds: float) -> None:
        """Count what a reading took."""
        if len(self._spent) >= self._MOST:
            self._spent.clear()
        self._spent[path] = (stamp, self._of(path, stamp) + seconds)

    def _of(self, path: Path, stamp: tuple[int, ...]) -> float:
        seen, seconds = self._spent.get(path, ((), 0.0))
        return seconds if seen == stamp else 0.0
