"""Codex's database of threads, for threads whose rollout is gone.

Reads `thread_history_1.sqlite` (0.146 and later) as a log of rows, one JSON line each, and parses
them into the turns that the rollout would have held. Costs one indexed query a thread.
"""

import re
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from dejavu.model import ProviderError, Span

from ..follow.sqlite import columns, reading
from ..follow.stamp import Stamp, database_stamp
from ..formats.json_lines import UNREADABLE, as_dict, as_int, as_str, decode_lenient
from ..message_assembler import Piece
from ..protocol import Cursor, RawDelta, Source
from .parser import CodexParser

_NAME = "thread_history_1.sqlite"
_HUMP = re.compile(r"(?<!^)(?=[A-Z])")
_known: dict[Path, tuple[Stamp, list[str]]] = {}


class _Mark(msgspec.Struct, array_like=True, frozen=True):
    stamp: tuple[int, ...] = ()
    ordinal: int = -1
    offset: int = 0


def histories(root: Path) -> Iterator[tuple[str, Path]]:
    """Each thread of the databases below Codex's folder."""
    for path in (root / _NAME, root / "sqlite" / _NAME):
        try:
            current_stamp = database_stamp(path)
            if path not in _known or _known[path][0] != current_stamp:
                _known[path] = (current_stamp, reading(path, _threads))
        except (OSError, ProviderError):
            continue
        for native in _known[path][1]:
            yield native, path


def _threads(connection: sqlite3.Connection) -> list[str]:
    if not {"thread_id", "item_json", "rollout_ordinal"} <= columns(connection, "thread_items"):
        return []
    rows = connection.execute("SELECT DISTINCT thread_id FROM thread_items ORDER BY thread_id")
    return [str(row[0]) for row in rows]


def follow_history(source: Source, since: Cursor | None) -> Iterator[RawDelta]:
    """The items of one thread that were added since."""
    mark = _Mark() if since is None else msgspec.msgpack.decode(since, type=_Mark)
    current_stamp = database_stamp(source.path)
    if current_stamp == mark.stamp:
        return

    def read(connection: sqlite3.Connection) -> list[dict[str, Any]]:
        query = (
            "SELECT * FROM thread_items WHERE thread_id = ? AND rollout_ordinal > ?"
            " ORDER BY rollout_ordinal"
        )
        return [dict(row) for row in connection.execute(query, (source.native_id, mark.ordinal))]

    rows = reading(source.path, read)
    data = b"".join(msgspec.json.encode(row) + b"\n" for row in rows)
    last = max((as_int(row.get("rollout_ordinal")) or 0 for row in rows), default=mark.ordinal)
    cursor = _Mark(current_stamp, last, mark.offset + len(data))
    yield RawDelta(mark.offset, data, msgspec.msgpack.encode(cursor))


class CodexHistoryParser(CodexParser):
    """Turns from that log."""

    def record(self, line: memoryview, span: Span) -> None:
        """Take one row."""
        row = as_dict(decode_lenient(line))
        item = as_dict(decode_lenient(as_str(row.get("item_json")).encode()))
        if not item:
            self.drift[UNREADABLE] += 1
            return
        at = as_int(row.get("created_at_ms"))
        payload = {"type": "item_completed", "item": _rollout_item(item)}
        self._take("event_msg", Piece(payload, span, None if at is None else at / 1000), line)


def _rollout_item(item: dict[str, Any]) -> dict[str, Any]:
    """A database's item (`userMessage`, `aggregatedOutput`) in a rollout's words."""
    words = {_HUMP.sub("_", key).lower(): value for key, value in item.items()}
    kind = as_str(item.get("type"))
    words["type"] = kind[:1].upper() + kind[1:]
    if words["type"] == "AgentMessage" and "text" in words:
        words["message"] = words["text"]
    return words
