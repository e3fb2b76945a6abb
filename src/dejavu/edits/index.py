"""The index of what agents changed and ran: SQLite beside the archive, derived and rebuildable.

It follows the archive's log through a mark that names the log entry it stands at, so that it never
outlives a restore; another `VERSION`, a damaged file or another archive's mark make it anew. It
holds paths, names of programs and fingerprints; texts stay in the archive. One writer at a time;
who does not get the place answers from what is there. Where nothing can be written the index is
made in memory.

Costs O(turns that changed) to catch up; a question by path or fingerprint O(log n + answers).
"""

import os
import posixpath
import sqlite3
from collections import defaultdict
from collections.abc import Generator, Iterable
from contextlib import contextmanager, suppress
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple, Self

import msgspec

from dejavu.archive import Archive, Change, LogEntry
from dejavu.model import NotFoundError

from .hunk_prints import HunkPrints

if TYPE_CHECKING:
    from .records import CallRecord

VERSION = 2
FOLDER = "edits"
_WINDOW = 2_000  # changes of the log taken in together
_LOOK_BACK = 200  # turns before a change in which a call may wait for its result
_SCHEMA = """
CREATE TABLE mark (version INTEGER, sequence INTEGER, at REAL);
CREATE TABLE conversation (number INTEGER PRIMARY KEY, id TEXT, agent TEXT, workspace TEXT);
CREATE TABLE call (
    id INTEGER PRIMARY KEY, number INTEGER, seq INTEGER, part INTEGER, at REAL, tool TEXT,
    program TEXT, command BLOB, ok INTEGER, answered INTEGER, shell INTEGER,
    asked INTEGER, said INTEGER);
CREATE INDEX call_place ON call (number, seq);
CREATE INDEX call_program ON call (program, at);
CREATE INDEX call_command ON call (command);
CREATE TABLE edit (
    id INTEGER PRIMARY KEY, call INTEGER, at REAL, base TEXT, path TEXT, source TEXT, kind TEXT,
    hunks BLOB);
CREATE INDEX edit_base ON edit (base);
CREATE INDEX edit_path ON edit (path);
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
_HUNKS = msgspec.msgpack.Decoder(tuple[HunkPrints, ...])


class Edit(NamedTuple):
    """A change of a file, and the call it is of."""

    conversation: str
    agent: str
    workspace: str
    seq: int
    part: int
    at: float | None
    path: str
    source: str
    kind: str
    ok: bool | None
    packed: bytes
    asked: int | None = None
    """The turn of the prompt before it, where the index knows it."""
    said: int | None = None

    @property
    def hunks(self) -> tuple[HunkPrints, ...]:
        """What stood there before and after, as fingerprints."""
        return _HUNKS.decode(self.packed)


class Call(NamedTuple):
    """A tool call."""

    id: int
    conversation: str
    agent: str
    workspace: str
    seq: int
    part: int
    at: float | None
    tool: str
    program: str
    command: bytes
    ok: bool | None
    shell: bool


_EDIT = (
    "SELECT c.id, c.agent, c.workspace, k.seq, k.part, e.at, e.path, e.source, e.kind, k.ok, e.hunks, "
    "k.asked, k.said "
    "FROM edit e JOIN call k ON k.id = e.call JOIN conversation c ON c.number = k.number "
)
_CALL = (
    "SELECT k.id, c.id, c.agent, c.workspace, k.seq, k.part, k.at, k.tool, k.program, k.command, "
    "k.ok, k.shell FROM call k JOIN conversation c ON c.number = k.number "
)


class EditIndex:
    """The index of one archive; close it, or use it as a context manager."""

    def __init__(self, archive: Archive) -> None:
        """Open the index of `archive`; nothing is taken in before `catch_up`."""
        self._archive = archive
        self._file = archive.root / FOLDER / "index.sqlite"
        self._memory = False
        try:
            self._connection = self._opened()
        except (sqlite3.DatabaseError, OSError):
            self._connection = self._anew()

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

    def behind(self) -> int:
        """How many changes of the log were not taken in."""
        return sum(1 for _ in self._archive.log(self._mark()))

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
            for suffix in ("", "-wal", "-shm"):
                with suppress(FileNotFoundError):
                    self._file.with_name(self._file.name + suffix).unlink()
            return self._opened()
        except (sqlite3.DatabaseError, OSError):
            return self._in_memory()

    def _in_memory(self) -> sqlite3.Connection:
        self._memory = True
        return sqlite3.connect(":memory:", isolation_level=None)

    def _mark(self) -> int:
        """How far along the log the index is; 0 where it must be made anew."""
        try:
            row = self._connection.execute("SELECT version, sequence, at FROM mark").fetchone()
        except sqlite3.OperationalError:
            return 0
        if row is None or row[0] != VERSION:
            return 0
        entry = next(self._archive.log(row[1] - 1), None)
        stands = entry is not None and (entry.sequence, entry.at) == (row[1], row[2])
        return int(row[1]) if stands else 0

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
        log = self._archive.log(mark)
        changes = 0
        while window := list(islice(log, _WINDOW)):
            with self._transaction():
                if self._mark() != mark:
                    return changes  # another process took it in meanwhile
                for entry, start in _folded(window):
                    self._take(entry, start)
                mark = window[-1].sequence
                self._connection.execute("DELETE FROM mark")
                self._connection.execute(
                    "INSERT INTO mark VALUES (?, ?, ?)", (VERSION, mark, window[-1].at)
                )
            changes += len(window)
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

    def _take(self, entry: LogEntry, start: int) -> None:
        """Take in a conversation's turns from `start` on, and calls before it that wait for a result."""
        from .records import calls_of  # its parsers cost as much as a small question

        number = entry.number
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
            elif start >= entry.stop and entry.change is Change.SUMMARY:
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

    def _remove(self, number: int, start: int) -> None:
        place = (number, start)
        for statement in _REMOVE:
            self._connection.execute(statement, place)

    def _add(self, number: int, call: "CallRecord", fallback: float | None) -> None:
        at = fallback if call.at is None else call.at
        cursor = self._connection.execute(
            "INSERT INTO call (number, seq, part, at, tool, program, command, ok, answered, shell, "
            "asked, said) VALUES (?,?,?,?,?,?,?,?,?,?,?,?)",
            (number, call.seq, call.part, at, _text(call.tool), _text(call.program), call.command,
             call.ok, call.answered, call.shell, call.asked, call.said),
        )  # fmt: skip
        identity = cursor.lastrowid
        for edit in call.edits:
            if call.ok is False and not call.shell:
                continue  # the tool refused it
            path = _text(edit.path)
            self._connection.execute(
                "INSERT INTO edit (call, at, base, path, source, kind, hunks) VALUES (?,?,?,?,?,?,?)",
                (identity, at, posixpath.basename(path), path, _text(edit.source), edit.kind,
                 msgspec.msgpack.encode(edit.hunks)),
            )  # fmt: skip
        self._connection.executemany(
            "INSERT OR IGNORE INTO failure VALUES (?, ?)",
            [(line, identity) for line in call.failure],
        )

    def edits_at(self, path: str) -> list[Edit]:
        """The changes of the file at an absolute path, oldest first."""
        rows = self._connection.execute(
            _EDIT + "WHERE e.path = ? ORDER BY e.at, e.id", (_text(path),)
        )
        return [_edit(row) for row in rows]

    def edits_ending(self, path: str, most: int) -> list[Edit]:
        """The newest changes of files whose path ends in `/` and a relative path, oldest first."""
        end = "/" + _text(path)
        rows = self._connection.execute(
            _EDIT
            + "WHERE e.base = ? AND substr(e.path, ?) = ? ORDER BY e.at DESC, e.id DESC LIMIT ?",
            (posixpath.basename(end), -len(end), end, most),
        )
        return [_edit(row) for row in rows][::-1]

    def paths_below(self, folder: str, until: float, ending: str, most: int) -> list[str]:
        """The paths below a folder that end so and were changed until a time."""
        low = _text(folder.rstrip("/"))
        rows = self._connection.execute(
            "SELECT DISTINCT path FROM edit WHERE path > ? AND path < ? AND at <= ? "
            "AND substr(path, ?) = ? LIMIT ?",
            (low + "/", low + "0", until, -len(ending) or 1_000_000, ending, most),
        )
        return [path for (path,) in rows]

    def edits_of(self, conversation: str) -> list[Edit]:
        """The changes of files in a conversation, in order."""
        rows = self._connection.execute(
            _EDIT + "WHERE c.id = ? ORDER BY k.seq, e.id", (conversation,)
        )
        return [_edit(row) for row in rows]

    def edits_below(self, folder: str) -> list[Edit]:
        """The changes of files below a folder, oldest first. Costs O(changes)."""
        low = _text(folder.rstrip("/") + "/")
        rows = self._connection.execute(
            _EDIT + "WHERE substr(e.path, 1, ?) = ? ORDER BY e.at, e.id", (len(low), low)
        )
        return [_edit(row) for row in rows]

    def calls_of(self, conversation: str) -> list[Call]:
        """The calls of a conversation, in order."""
        rows = self._connection.execute(
            _CALL + "WHERE c.id = ? ORDER BY k.seq, k.part", (conversation,)
        )
        return [_call(row) for row in rows]

    def calls_after(self, call: Call, most: int) -> list[Call]:
        """The calls that follow one in its conversation."""
        rows = self._connection.execute(
            _CALL + "WHERE k.number = (SELECT number FROM call WHERE id = ?) "  # noqa: S608 - constants
            "AND (k.seq, k.part) > (?, ?) ORDER BY k.seq, k.part LIMIT ?",
            (call.id, call.seq, call.part, most),
        )
        return [_call(row) for row in rows]

    def calls_to(self, program: str, most: int) -> list[Call]:
        """The newest calls of a program (`npm test`, or `npm` for all its commands) or a tool."""
        name = _text(program)
        rows = self._connection.execute(
            _CALL + "WHERE k.program = ? OR (k.program >= ? AND k.program < ?) OR k.tool = ? "
            "ORDER BY k.at DESC LIMIT ?",
            (name, name + " ", name + "!", name, most),
        )
        return [_call(row) for row in rows]

    def calls_like(self, command: bytes, most: int) -> list[Call]:
        """The newest calls of a command, by its fingerprint."""
        rows = self._connection.execute(
            _CALL + "WHERE k.command = ? ORDER BY k.at DESC LIMIT ?", (command, most)
        )
        return [_call(row) for row in rows]

    def last_failed(self, workspace: str | None) -> Call | None:
        """The newest failed command, of a workspace or of any."""
        row = self._connection.execute(
            _CALL + "WHERE k.ok = 0 AND k.shell AND (?1 IS NULL OR c.workspace = ?1) "
            "ORDER BY k.at DESC LIMIT 1",
            (workspace,),
        ).fetchone()
        return None if row is None else _call(row)

    def failures_like(self, prints: Iterable[bytes]) -> dict[int, set[bytes]]:
        """The failed calls that share fingerprints, and which."""
        shared: dict[int, set[bytes]] = defaultdict(set)
        for print_ in prints:
            for (call,) in self._connection.execute(
                "SELECT call FROM failure WHERE print = ? LIMIT 2000", (print_,)
            ):
                shared[call].add(print_)
        return shared

    def frequency(self, print_: bytes) -> int:
        """In how many failures a fingerprint occurs."""
        row = self._connection.execute("SELECT count(*) FROM failure WHERE print = ?", (print_,))
        return int(row.fetchone()[0])

    def failure_count(self) -> int:
        """How many calls failed."""
        return int(self._connection.execute("SELECT count(*) FROM call WHERE ok = 0").fetchone()[0])

    def calls(self, identities: Iterable[int]) -> list[Call]:
        """Calls by their number in this index, those that are there."""
        found: list[Call] = []
        for identity in identities:
            row = self._connection.execute(_CALL + "WHERE k.id = ?", (identity,)).fetchone()
            if row is not None:
                found.append(_call(row))
        return found


def _edit(row: tuple[object, ...]) -> Edit:
    edit = Edit(*row)  # type: ignore[arg-type]  # as the SELECT lists them
    return edit._replace(ok=None if edit.ok is None else bool(edit.ok))


def _call(row: tuple[object, ...]) -> Call:
    call = Call(*row)  # type: ignore[arg-type]  # as the SELECT lists them
    return call._replace(ok=None if call.ok is None else bool(call.ok), shell=bool(call.shell))


def _text(text: str) -> str:
    """A text as SQLite takes it: without lone surrogates and NUL."""
    return text.encode("utf-8", "backslashreplace").decode().replace("\0", "\\0")


def _folded(window: list[LogEntry]) -> list[tuple[LogEntry, int]]:
    """The last change of each conversation in a window, and the first turn that any touched."""
    folds: dict[int, tuple[LogEntry, int]] = {}
    for entry in window:
        earlier = folds.pop(entry.number, None)
        folds[entry.number] = (
            entry,
            entry.start if earlier is None else min(earlier[1], entry.start),
        )
    return list(folds.values())
