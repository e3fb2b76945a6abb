"""Questions to the index of edits, and its rows as values: by path, conversation, command, failure.

Reads alone; `index` fills what is asked here. A question by path or fingerprint costs O(log n +
answers).

Tested in: tests/extensions/code/test_failures.py
"""

import posixpath
import sqlite3
from collections import defaultdict
from collections.abc import Collection, Iterable
from typing import NamedTuple

import msgspec

from .hunk_prints import HunkPrints

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
_OF_CONVERSATION = "WHERE k.number = (SELECT number FROM conversation WHERE id = ?) "
"""Its calls by their index; by `c.id` SQLite would go through all there are."""


class EditQueries:
    """What may be asked of an open index."""

    _connection: sqlite3.Connection

    def edits_at(self, path: str) -> list[Edit]:
        """The changes of the file at an absolute path, oldest first."""
        rows = self._connection.execute(
            _EDIT + "WHERE e.path = ? ORDER BY e.at, e.id", (storable_text(path),)
        )
        return [_edit(row) for row in rows]

    def edits_around(self, path: str, at: float, most: int) -> list[Edit]:
        """The changes of a file nearest to a time that did not fail, `most` either way, oldest first."""
        made = _EDIT + "WHERE e.path = ? AND k.ok IS NOT 0 AND "
        values = (storable_text(path), at, most)
        until = self._connection.execute(
            made + "e.at <= ? ORDER BY e.at DESC, e.id DESC LIMIT ?", values
        ).fetchall()
        since = self._connection.execute(made + "e.at > ? ORDER BY e.at, e.id LIMIT ?", values)
        return [*map(_edit, reversed(until)), *map(_edit, since)]

    def has_undated_edit(self, path: str) -> bool:
        """Whether a change of a file that did not fail has no time."""
        rows = self._connection.execute(
            "SELECT 1 FROM edit e JOIN call k ON k.id = e.call "
            "WHERE e.path = ? AND e.at IS NULL AND k.ok IS NOT 0 LIMIT 1",
            (storable_text(path),),
        )
        return rows.fetchone() is not None

    def edits_ending(self, path: str, most: int, known: Collection[str] = ()) -> list[Edit]:
        """The newest changes of files whose path ends in `/` and a relative path, oldest first.

        known: paths that are left out.
        """
        end = "/" + storable_text(path)
        marks = ", ".join("?" * len(known))
        rows = self._connection.execute(
            _EDIT + f"WHERE e.base = ? AND substr(e.path, ?) = ? AND e.path NOT IN ({marks}) "
            "ORDER BY e.at DESC, e.id DESC LIMIT ?",
            (posixpath.basename(end), -len(end), end, *map(storable_text, known), most),
        )
        return [_edit(row) for row in rows][::-1]

    def paths_below(self, folder: str, until: float, ending: str, most: int) -> list[str]:
        """The paths below a folder that end so and were changed until a time."""
        low = storable_text(folder.rstrip("/"))
        rows = self._connection.execute(
            "SELECT DISTINCT path FROM edit WHERE path > ? AND path < ? AND at <= ? "
            "AND substr(path, ?) = ? LIMIT ?",
            (low + "/", low + "0", until, -len(ending) or 1_000_000, ending, most),
        )
        return [path for (path,) in rows]

    def edits_of(self, conversation: str) -> list[Edit]:
        """The changes of files in a conversation, in order."""
        rows = self._connection.execute(
            _EDIT + _OF_CONVERSATION + "ORDER BY k.seq, e.id", (conversation,)
        )
        return [_edit(row) for row in rows]

    def edits_near(self, conversation: str, first: int, last: int) -> list[Edit]:
        """The changes of files in some turns of a conversation, in order."""
        rows = self._connection.execute(
            _EDIT + _OF_CONVERSATION + "AND k.seq BETWEEN ? AND ? ORDER BY k.seq, e.id",
            (conversation, first, last),
        )
        return [_edit(row) for row in rows]

    def calls_of(self, conversation: str) -> list[Call]:
        """The calls of a conversation, in order."""
        rows = self._connection.execute(
            _CALL + _OF_CONVERSATION + "ORDER BY k.seq, k.part", (conversation,)
        )
        return [_call(row) for row in rows]

    def reads_of(self, path: str, conversation: str, since: float, until: float) -> list[Call]:
        """The calls of a conversation that read the file at an absolute path in a time, in order."""
        rows = self._connection.execute(
            _CALL + _OF_CONVERSATION + "AND k.reads <> '' AND k.reads = ? AND k.at BETWEEN ? AND ? "
            "ORDER BY k.seq, k.part",
            (conversation, storable_text(path), since, until),
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
        name = storable_text(program)
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
            _CALL
            + "WHERE k.ok = 0 AND k.shell AND (:workspace IS NULL OR c.workspace = :workspace) "
            "ORDER BY k.at DESC LIMIT 1",
            {"workspace": workspace},
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


def storable_text(text: str) -> str:
    """A text as SQLite takes it: without lone surrogates and NUL."""
    return text.encode("utf-8", "backslashreplace").decode().replace("\0", "\\0")
