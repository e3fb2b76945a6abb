"""OpenCode's stores, each as the same thing: sessions, their messages, the messages' parts.

Takes the data folder; gives `Store`s. Three generations were seen, and a migration may leave a
session in two of them, or lose it from the newer: a SQLite database (1.2 and later), a tree of
JSON files (`storage/`), and the tree before that (`project/*/storage/session/`). What stands in a
store is given as plain objects; ids come from the paths, as OpenCode itself takes them.
"""

import os
import sqlite3
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from .append import open_plain
from .database import Stamp, columns, reading, stamp
from .records import plain
from .shapes import integer, mapping, text

_DAY = 86_400_000  # milliseconds

_COUNTS = "SELECT session_id, count(*), max(time_updated) FROM message GROUP BY session_id"
_COUNTS_UNDATED = "SELECT session_id, count(*), 0 FROM message GROUP BY session_id"
_INDEX = (
    "SELECT m.id, m.time_created, max(m.time_updated), count(p.id), max(p.time_updated)"
    " FROM message m LEFT JOIN part p ON p.message_id = m.id WHERE m.session_id = ? GROUP BY m.id"
)
_INDEX_UNDATED = (
    "SELECT m.id, m.time_created, 0, count(p.id), sum(length(p.data))"
    " FROM message m LEFT JOIN part p ON p.message_id = m.id WHERE m.session_id = ? GROUP BY m.id"
)

Message = dict[str, Any]
"""`{"id", "created", "data", "parts": [{"id", "data"}]}`, parts in order."""


@dataclass(slots=True)
class Entry:
    """A message in a store's index: when it was made, and what tells that it changed."""

    created: float
    print: tuple[int, ...]


class Store(Protocol):
    """One place where sessions are kept."""

    @property
    def path(self) -> Path:
        """Where it is."""
        ...

    def sessions(self) -> Iterable[str]:
        """Each session's id."""
        ...

    def gate(self, native: str) -> tuple[int, ...] | None:
        """What tells, cheaply, that a session may have changed; None if it is not here."""
        ...

    def session(self, native: str) -> dict[str, Any]:
        """The session's own object; empty if it is not here."""
        ...

    def index(self, native: str) -> dict[str, Entry]:
        """Each message of the session."""
        ...

    def messages(self, native: str, wanted: list[str]) -> Iterator[Message]:
        """Those messages, with their parts."""
        ...


def stores(root: Path) -> list[Store]:
    """The stores below the data folder, the one to be believed first."""
    found: list[Store] = [Database(path) for path in sorted(root.glob("opencode*.db"))]
    if (root / "storage" / "session").is_dir():
        found.append(Tree(root / "storage" / "session", root / "storage", "*/*.json", False))
    found += [
        Tree(folder / "info", folder, "*.json", True)
        for folder in sorted(root.glob("project/*/storage/session"))
    ]
    return found


@dataclass(slots=True)
class Database:
    """The SQLite database; what it says of all sessions is asked once for each state of it."""

    path: Path
    _seen: Stamp = ()
    _sessions: dict[str, tuple[int, ...]] = field(default_factory=dict[str, tuple[int, ...]])

    def sessions(self) -> Iterable[str]:
        """From two grouped queries; parts are too many to be looked at for this."""
        try:
            seen = stamp(self.path)
        except OSError:
            return ()
        if seen != self._seen:
            self._sessions = reading(self.path, self._overview)
            self._seen = seen
        return self._sessions

    def gate(self, native: str) -> tuple[int, ...] | None:
        """Of the session's row and of its messages; of the whole database while it is at work."""
        self.sessions()
        return self._sessions.get(native)

    def _overview(self, connection: sqlite3.Connection) -> dict[str, tuple[int, ...]]:
        if "id" not in columns(connection, "session"):
            return {}
        dated = "time_updated" in columns(connection, "message")
        counted = {
            str(row[0]): (integer(row[1]) or 0, integer(row[2]) or 0)
            for row in connection.execute(_COUNTS if dated else _COUNTS_UNDATED)
        }
        rows = connection.execute("SELECT * FROM session").fetchall()
        latest = max((integer(row["time_updated"]) or 0 for row in rows), default=0)
        overview: dict[str, tuple[int, ...]] = {}
        for row in rows:
            native, touched = str(row["id"]), integer(row["time_updated"]) or 0
            # Parts are edited without a word in their message while a session is at work: of
            # those touched within a day of the latest, any change anywhere is a reason to look.
            recent = stamp(self.path) if latest - touched < _DAY else ()
            overview[native] = (touched, *counted.get(native, (0, 0)), *recent)
        return overview

    def session(self, native: str) -> dict[str, Any]:
        """The session's row, without what is empty."""

        def read(connection: sqlite3.Connection) -> dict[str, Any]:
            row = connection.execute("SELECT * FROM session WHERE id = ?", (native,)).fetchone()
            return {} if row is None else {k: row[k] for k in row.keys() if row[k] is not None}  # noqa: SIM118 - a Row iterates over its values

        return reading(self.path, read)

    def index(self, native: str) -> dict[str, Entry]:
        """Messages with the number of their parts and when the last was edited."""

        def read(connection: sqlite3.Connection) -> dict[str, Entry]:
            dated = "time_updated" in columns(connection, "part")
            query = _INDEX if dated else _INDEX_UNDATED
            return {
                str(row[0]): Entry(
                    float(integer(row[1]) or 0), tuple(integer(value) or 0 for value in row[2:])
                )
                for row in connection.execute(query, (native,))
            }

        return reading(self.path, read)

    def messages(self, native: str, wanted: list[str]) -> Iterator[Message]:  # noqa: ARG002 - ids suffice here
        """Read in one transaction, so that a message and its parts belong together."""

        def read(connection: sqlite3.Connection) -> list[Message]:
            return [one for name in wanted for one in self._message(connection, name)]

        yield from reading(self.path, read)

    def _message(self, connection: sqlite3.Connection, name: str) -> Iterator[Message]:
        row = connection.execute("SELECT * FROM message WHERE id = ?", (name,)).fetchone()
        if row is None:
            return
        query = "SELECT id, data FROM part WHERE message_id = ? ORDER BY id"
        parts = [
            {"id": str(part["id"]), "data": plain(str(part["data"]).encode())}
            for part in connection.execute(query, (name,))
        ]
        data = plain(str(row["data"]).encode())
        yield {"id": name, "created": row["time_created"], "data": data, "parts": parts}


@dataclass(slots=True)
class Tree:
    """A tree of JSON files: `info`, `message/<session>/`, `part/[<session>/]<message>/`."""

    info: Path
    root: Path
    pattern: str
    nested: bool

    @property
    def path(self) -> Path:
        """The tree's folder."""
        return self.root

    def sessions(self) -> Iterable[str]:
        """By their files."""
        return [path.stem for path in sorted(self.info.glob(self.pattern))]

    def gate(self, native: str) -> tuple[int, ...] | None:
        """Costs a stat for the session and for each of its messages and parts."""
        path = self._file(native)
        if path is None:
            return None
        prints = [entry.print for entry in self.index(native).values()]
        newest = max((seen[-1] for seen in prints), default=0)
        return path.stat().st_mtime_ns, len(prints), sum(seen[1] for seen in prints), newest

    def _file(self, native: str) -> Path | None:
        return next(iter(self.info.glob(self.pattern.replace("*.json", f"{native}.json"))), None)

    def session(self, native: str) -> dict[str, Any]:
        """The session's file."""
        path = self._file(native)
        return {} if path is None else _object(path)

    def index(self, native: str) -> dict[str, Entry]:
        """Messages by file; their time is in them, so it is not asked here: ids rise with time."""
        index: dict[str, Entry] = {}
        for path, changed in _files(self.root / "message" / native):
            parts = _files(self._parts(native, path.stem))
            newest = max((seen for _, seen in parts), default=0)
            index[path.stem] = Entry(0.0, (changed, len(parts), max(changed, newest)))
        return index

    def messages(self, native: str, wanted: list[str]) -> Iterator[Message]:
        """Each message's file and its parts' files, in the order of their ids."""
        for name in wanted:
            data = _object(self.root / "message" / native / f"{name}.json")
            if data:
                files = _files(self._parts(native, name))
                parts = [{"id": path.stem, "data": _object(path)} for path, _ in files]
                made = integer(mapping(data.get("time")).get("created"))
                yield {"id": name, "created": made, "data": data, "parts": parts}

    def _parts(self, native: str, message: str) -> Path:
        folder = self.root / "part"
        return folder / native / message if self.nested else folder / message


def _files(folder: Path) -> list[tuple[Path, int]]:
    """The JSON files of a folder with their times, by name; none if it is missing."""
    try:
        with os.scandir(folder) as entries:
            return sorted(
                (Path(entry.path), entry.stat(follow_symlinks=False).st_mtime_ns)
                for entry in entries
                if entry.name.endswith(".json") and not entry.name.startswith(".")
            )
    except OSError:
        return []


def _object(path: Path) -> dict[str, Any]:
    """The object in a file; empty if it vanished or is damaged."""
    try:
        with os.fdopen(open_plain(path), "rb") as file:
            return mapping(plain(file.read()))
    except OSError:
        return {}


def title(session: dict[str, Any]) -> str:
    """A session's title, unless it is the one every session begins with."""
    found = text(session.get("title"))
    return "" if found.startswith(("New session - ", "Child session - ")) else found
