"""The index of what agents changed and ran: SQLite next to the archive, derived and rebuildable.

It follows the archive's log through a mark that names the log entry it is at, so that it never
outlives a restore; another `VERSION`, a damaged file or another archive's mark rebuild it. It
holds paths, names of programs and fingerprints; texts stay in the archive. One writer at a time;
who does not get the place answers from what is there. Where nothing can be written the index is
made in memory.

Costs O(turns that changed) to catch up; questions are in `queries`.
"""

import os
import posixpath
import sqlite3
from collections.abc import Generator, Iterable
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Self

import msgspec

from dejavu.archive import Archive, Change, Lag, LogEntry, Position, derived
from dejavu.model import NotFoundError
from dejavu.providers.follow.stamp import side_files

from .queries import EditQueries, storable_text

if TYPE_CHECKING:
    from .records import CallRecord

VERSION = 3
FOLDER = "edits"
_WINDOW = 2_000  # changes of the log taken in together
_LOOK_BACK = 200  # turns before a change in which a call may wait for its result
_SCHEMA = """
CREATE TABLE mark (version INTEGER, sequence INTEGER, at REAL);
CREATE TABLE conversation (number INTEGER PRIMARY KEY, id TEXT, agent TEXT, workspace TEXT);
CREATE TABLE call (
    id INTEGER PRIMARY KEY, number INTEGER, seq INTEGER, part INTEGER, at REAL, tool TEXT,
    program TEXT, command BLOB, ok INTEGER, answered INTEGER, shell INTEGER,
    asked INTEGER, said INTEGER, reads TEXT);
CREATE INDEX call_place ON call (number, seq);
CREATE INDEX call_reads ON call (number, reads, at) WHERE reads <> '';
CREATE INDEX call_program ON call (program, at);
CREATE INDEX call_command ON call (command);
CREATE TABLE edit (
    id INTEGER PRIMARY KEY, call INTEGER, at REAL, base TEXT, path TEXT, source TEXT, kind TEXT,
    hunks BLOB);
CREATE INDEX edit_base ON edit (base);
CREATE INDEX edit_path ON edit (path, at);
CREATE INDEX edit_call ON edit (call);
CREATE TABLE failure (print BLOB, call INTEGER, PRIMARY KEY (print, call)) WITHOUT ROWID;
CREATE INDEX failure_call ON failure (call);
"""
_REMOVE = (
    "DELETE FROM failure WHERE call IN (SELECT id FROM call WHERE number = ? AND seq >= ?)",
    "DELETE FROM edit WHERE call IN (SELECT id FROM call WHERE number = ? AND seq >= ?)",
    "DELETE FROM call WHERE number = ? AND seq >= ?",
)
_TABLES = ("mark", "conversation", "call", "edit", "failure")


class EditIndex(EditQueries):
    """The index of one archive; close it, or use it as a context manager."""

    def __init__(
        self, archive: Archive, spans: Iterable[tuple[str, int, int]] | None = None
    ) -> None:
        """Open the index of `archive`; nothing is taken in before `catch_up`.

        spans: make one in memory, of these turns alone (conversation, start, stop), as far as they are there.
        """
        self._archive = archive
        self._file = archive.root / FOLDER / "index.sqlite"
        self._memory = False
        try:
            self._connection = self._in_memory() if spans is not None else self._opened()
        except (sqlite3.DatabaseError, OSError):
            self._connection = self._anew()
        if spans is not None:
            self._clear()
            self._take_spans(spans)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the file."""
        self._connection.close()

    def catch_up(self) -> int:
        """Take in what was committed since the last time; return the number of changes."""
        try:
            return self._catch_up()
        except sqlite3.OperationalError as error:
            if "locked" in str(error) or "busy" in str(error):
                return 0
            self._connection.close()
            self._connection = self._in_memory()
        except sqlite3.DatabaseError:
            self._connection.close()
            self._connection = self._anew()
        return self._catch_up()

    @property
    def name(self) -> str:
        """What people call this index."""
        return "edit index"

    def lag(self) -> Lag:
        """What was not taken in."""
        return derived.lag_after(self._archive.log, self._mark())

    def _opened(self) -> sqlite3.Connection:
        if self._archive.readonly and not self._file.exists():
            return self._in_memory()
        if not self._archive.readonly:
            self._file.parent.mkdir(mode=0o700, exist_ok=True)
            if not self._file.exists():
                os.close(os.open(self._file, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o600))
        connection = sqlite3.connect(self._file, timeout=2.0, isolation_level=None)
        try:
            connection.execute("PRAGMA secure_delete = ON")
            connection.execute("PRAGMA synchronous = NORMAL")
            if not self._archive.readonly:
                connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
        except BaseException:
            connection.close()
            raise
        return connection

    def _anew(self) -> sqlite3.Connection:
        """Throw a damaged index away and begin again; in memory where that cannot be done."""
        try:
            for path in (self._file, *side_files(self._file)):
                path.unlink(missing_ok=True)
            return self._opened()
        except (sqlite3.DatabaseError, OSError):
            return self._in_memory()

    def _in_memory(self) -> sqlite3.Connection:
        self._memory = True
        return sqlite3.connect(":memory:", isolation_level=None)

    def _mark(self) -> int:
        """How far along the log the index is; 0 where it must be rebuilt."""
        try:
            row = self._connection.execute("SELECT version, sequence, at FROM mark").fetchone()
        except sqlite3.OperationalError:
            return 0
        if row is None or row[0] != VERSION:
            return 0
        _, *position = row
        return row[1] if derived.holds(self._archive.log, Position(*position)) else 0

    def _catch_up(self) -> int:
        if self._archive.readonly and not self._memory:
            if self._mark():
                return 0
            self._connection.close()
            self._connection = self._in_memory()
        mark = self._mark()
        if not mark:
            with self._transaction():
                mark = self._mark()  # another process may have begun meanwhile
                if not mark:
                    self._clear()
        changes = 0
        for window in derived.windows(self._archive.log, mark, size=_WINDOW):
            with self._transaction():
                if self._mark() != mark:
                    return changes  # another process took it in meanwhile
                for change in window.changes:
                    self._take(change)
                mark = window.position.sequence
                self._connection.execute("DELETE FROM mark")
                self._connection.execute(
                    "INSERT INTO mark VALUES (?, ?, ?)", (VERSION, *window.position)
                )
            changes += window.entries
        return changes

    @contextmanager
    def _transaction(self) -> Generator[None]:
        self._connection.execute("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            with suppress(sqlite3.Error):
                self._connection.execute("ROLLBACK")
            raise
        self._connection.execute("COMMIT")

    def _clear(self) -> None:
        for table in _TABLES:
            self._connection.execute(f"DROP TABLE IF EXISTS {table}")
        for statement in filter(str.strip, _SCHEMA.split(";")):
            self._connection.execute(statement)

    def _take(self, entry: LogEntry) -> None:
        """Take in a conversation's changed turns, and calls before them that wait for a result."""
        from .records import calls_of  # its parsers cost as much as a small question

        number, start = entry.number, entry.start
        if entry.change is Change.REMOVED:
            self._remove(number, 0)
            self._connection.execute("DELETE FROM conversation WHERE number = ?", (number,))
            return
        try:
            summary = self._archive.summary(entry.conversation)
            row = (number, summary.id, summary.agent, summary.workspace)
            before = self._connection.execute(
                "SELECT workspace FROM conversation WHERE number = ?", (number,)
            ).fetchone()
            if before is not None and before[0] != summary.workspace:
                start = 0  # every relative path is another
            elif entry.is_summary_only:
                self._connection.execute(
                    "INSERT OR REPLACE INTO conversation VALUES (?,?,?,?)", row
                )
                return
            waiting = self._connection.execute(
                "SELECT min(seq) FROM call WHERE number = ? AND answered = 0 AND seq >= ?",
                (number, start - _LOOK_BACK),
            ).fetchone()[0]
            if waiting is not None:
                start = min(start, waiting)
            self._remove(number, start)
            self._connection.execute("INSERT OR REPLACE INTO conversation VALUES (?,?,?,?)", row)
            for call in calls_of(self._archive.turns(entry.conversation, start), summary.workspace):
                self._add(number, call, summary.ended_at or summary.started_at)
        except NotFoundError:  # gone meanwhile: its removal is a later entry of the log
            return

    def _take_spans(self, spans: Iterable[tuple[str, int, int]]) -> None:
        from .records import calls_of

        numbers: dict[str, int] = {}
        for name, start, stop in spans:
            try:
                summary = self._archive.summary(name)
                turns = list(self._archive.turns(name, start, stop))
            except NotFoundError:
                continue
            number = numbers.setdefault(name, len(numbers) + 1)
            self._connection.execute(
                "INSERT OR REPLACE INTO conversation VALUES (?,?,?,?)",
                (number, summary.id, summary.agent, summary.workspace),
            )
            for call in calls_of(turns, summary.workspace):
                self._add(number, call, summary.ended_at or summary.started_at)

    def _remove(self, number: int, start: int) -> None:
        place = (number, start)
        for statement in _REMOVE:
            self._connection.execute(statement, place)

    def _add(self, number: int, call: "CallRecord", fallback: float | None) -> None:
        at = fallback if call.at is None else call.at
        cursor = self._connection.execute(
            "INSERT INTO call (number, seq, part, at, tool, program, command, ok, answered, shell, "
            "asked, said, reads) VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?)",
            (number, call.seq, call.part, at, storable_text(call.tool), storable_text(call.program),
             call.command, call.ok, call.answered, call.shell, call.asked, call.said,
             storable_text(call.reads)),
        )  # fmt: skip
        identity = cursor.lastrowid
        for edit in call.edits:
            if call.ok is False and not call.shell:
                continue  # the tool refused it
            path = storable_text(edit.path)
            self._connection.execute(
                "INSERT INTO edit (call, at, base, path, source, kind, hunks) VALUES (?,?,?,?,?,?,?)",
                (identity, at, posixpath.basename(path), path, storable_text(edit.source), edit.kind,
                 msgspec.msgpack.encode(edit.hunks)),
            )  # fmt: skip
        self._connection.executemany(
            "INSERT OR IGNORE INTO failure VALUES (?, ?)",
            [(line, identity) for line in call.failure],
        )
