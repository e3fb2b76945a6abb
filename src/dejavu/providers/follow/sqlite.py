"""Reading an agent's SQLite database, live or left behind, without leaving a trace next to it.

`reading` yields a connection inside one read transaction. SQLite makes `-shm` and `-wal` files
next to any WAL database it opens the usual way, even to read. Here:

- without a write-ahead log the file is opened `immutable`: no lock, no file, no write;
- with one, and the agent's own index (`-shm`) next to it, the index is mapped read-only
  (`readonly_shm`), as SQLite allows since 3.22;
- with a log but no index (a copied home), the two files are copied to a private folder first, and
  the copy is kept while they stand as they were.

The database may change under an immutable or copied reading, so what was read counts only if
`database_stamp` is the same before and after; `reading` sees to that. Copying costs O(database), everything
else O(rows asked for). What a query may do, and for how long, is in `query_limits`.
"""

import atexit
import os
import sqlite3
import stat
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import TypeVar
from urllib.parse import quote

from dejavu.model import UnreadableSessionError

from .append import open_plain
from .query_limits import QueryLimits, ReadingTimes
from .stamp import Stamp, bytes_of, database_stamp, index_of, log_of, side_files

T = TypeVar("T")

_TRIES = 3
_PAGES = ("page_count", "page_size")
_times = ReadingTimes()


def reading(path: Path, read: Callable[[sqlite3.Connection], T]) -> T:
    """What `read` makes of the database at `path`, from one consistent state of it.

    Raises:
        OSError: it is missing or may not be read.
        UnreadableSessionError: it is no database, is damaged, or changed each time while it was read.
    """
    problem = "it changed each time while it was read; try again later"
    for _ in range(_TRIES):
        before = database_stamp(path)
        size = bytes_of(before)
        limits = QueryLimits(path, size, _times.allowed(path, before, size))
        try:
            connection, shared = _open(path, limits)
            with closing(connection):
                limits.begin(connection)
                result = read(connection)
        except sqlite3.DataError as error:
            raise UnreadableSessionError(
                f"{path}: a value is longer than `longest_line` under [sync] in config.toml ({error})"
            ) from error
        except (sqlite3.DatabaseError, UnicodeDecodeError, IndexError, MemoryError) as error:
            if limits.refusal:
                raise limits.error() from error
            # Of a damaged schema: names that are no UTF-8, and sqlite3.Row without a column of ours.
            problem = str(error) or "a part of it is too large"
            continue
        finally:
            _times.add(path, before, limits.seconds)
        if shared or database_stamp(path) == before:
            return result
    raise UnreadableSessionError(f"{path} cannot be read as a SQLite database: {problem}")


def image(connection: sqlite3.Connection, longest: int) -> bytes:
    """The database as one file.

    Raises:
        UnreadableSessionError: its pages are more than `longest` bytes, whatever the file says.
    """
    pages, page = (connection.execute(f"PRAGMA {name}").fetchone()[0] for name in _PAGES)
    if pages * page > longest:
        raise UnreadableSessionError(
            f"it says that it has {pages} pages; that is too large to keep"
        )
    return connection.serialize()


def _open(path: Path, limits: QueryLimits) -> tuple[sqlite3.Connection, bool]:
    """A connection, and whether the agent's own index keeps what it sees from changing."""
    # Looked at, not opened: closing a file drops the locks this process has on it.
    for file in (path, *side_files(path)):
        if (file is path or os.path.lexists(file)) and not stat.S_ISREG(file.lstat().st_mode):
            raise UnreadableSessionError(
                f"{file} is not a regular file; move it out of the agent's folder"
            )
    log, index = log_of(path), index_of(path)
    if not log.exists() or log.stat().st_size == 0:
        return _connect(path, "mode=ro&immutable=1", limits), False
    if index.exists():
        connection = _connect(path, "mode=ro&readonly_shm=1", limits)
        try:
            connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
        except sqlite3.OperationalError:
            connection.close()  # the index is being made, or is another version's
        else:
            return connection, True
    return _connect(_copied(path), "mode=rw", limits), False


_copy: dict[tuple[Path, Stamp], Path] = {}
"""The last database copied, as it stood: the folder of the copy, which goes with us."""


def _copied(path: Path) -> Path:
    """A copy of a database and its log."""
    import shutil  # few databases have to be copied
    import tempfile

    key = path, database_stamp(path)
    if key not in _copy:
        _forget()
        place = tempfile.gettempdir()
        if bytes_of(key[1]) > shutil.disk_usage(place).free:
            raise UnreadableSessionError(f"{path}: there is no room for a copy of it in {place}")
        folder = _copy[key] = Path(tempfile.mkdtemp(prefix="dejavu-"))
        try:
            for source in (path, log_of(path)):
                with (
                    os.fdopen(open_plain(source), "rb") as file,
                    (folder / source.name).open("wb") as copy,
                ):
                    left = os.fstat(file.fileno()).st_size  # it may grow faster than it is copied
                    while piece := file.read(min(left, 1 << 20)):
                        copy.write(piece)
                        left -= len(piece)
        except OSError:
            _forget()
            raise
    return _copy[key] / path.name


@atexit.register
def _forget() -> None:
    while _copy:
        import shutil  # as above

        shutil.rmtree(_copy.popitem()[1], ignore_errors=True)


def _connect(path: Path, options: str, limits: QueryLimits) -> sqlite3.Connection:
    name = quote(str(path.absolute()))
    connection = sqlite3.connect(f"file:{name}?{options}", uri=True, isolation_level=None)
    connection.text_factory = _text
    limits.apply(connection)
    return connection


def _text(raw: bytes) -> str:
    return raw.decode("utf-8", "replace")


def columns(connection: sqlite3.Connection, table: str) -> set[str]:
    """The columns of a table; none if it does not exist."""
    rows = connection.execute("SELECT name FROM pragma_table_info(?)", (table,))
    return {str(row["name"]) for row in rows}
