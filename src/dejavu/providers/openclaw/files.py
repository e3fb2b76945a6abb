"""OpenClaw: Pi's entries, a session's in a database; in older versions a JSONL file a session.

Reads the tables `transcript_events` of `agents/*/agent/openclaw-agent.sqlite` and
`agents/*/sessions/*.jsonl` below `${OPENCLAW_STATE_DIR:-~/.openclaw}`; of a session in both the
former. Seen of 2026.9.6, which packs long entries (zstd).
"""

import sqlite3
import sys
from collections.abc import Iterator
from pathlib import Path

from dejavu.model import ProviderError, UnreadableSessionError

from ..follow.records import follow_records
from ..follow.sqlite import columns, reading
from ..follow.stamp import Stamp, database_stamp
from ..formats.long_lines import longest_line
from ..protocol import Cursor, Home, Kind, RawDelta, Source
from ..store_provider import StoreProvider
from . import AGENT

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

_TABLE = "transcript_events"


class OpenClaw(StoreProvider):
    """Provider of `${OPENCLAW_STATE_DIR:-~/.openclaw}/agents`."""

    def __init__(self) -> None:
        super().__init__(AGENT)
        self._sessions: dict[Path, tuple[Stamp, list[str]]] = {}

    def discover(self, home: Home) -> Iterator[Source]:
        """A source for each session."""
        found: set[str | None] = set()
        for root in self.roots(home):
            for path in sorted(root.glob("*/agent/openclaw-agent.sqlite")):
                for source in self._in_database(path, home):
                    if source.native_id is None or source.native_id not in found:
                        found.add(source.native_id)
                        yield source
        yield from (source for source in super().discover(home) if source.native_id not in found)

    def _in_database(self, path: Path, home: Home) -> Iterator[Source]:
        """A source for each session of a database, asked once a state of it."""
        try:
            now = database_stamp(path)
            before, sessions = self._sessions.get(path, ((), []))
            if now != before:
                sessions = reading(path, _sessions_of)
                self._sessions[path] = now, sessions
        except ProviderError:
            # Following it says what is wrong with it.
            yield Source(self.agent, path, home.instance, Kind.DATABASE, None, home.workspace)
            return
        except OSError:
            return
        for native in sessions:
            yield Source(self.agent, path, home.instance, Kind.DATABASE, native, home.workspace)

    def follow(self, source: Source, since: Cursor | None = None) -> Iterator[RawDelta]:
        """A session's entries, or a file.

        Raises:
            UnreadableSessionError: the database cannot be read, or holds the session no longer.
        """
        if source.kind is not Kind.DATABASE:
            return super().follow(source, since)

        def read(connection: sqlite3.Connection) -> list[bytes]:
            return _records(connection, source.native_id or "")

        def records() -> list[bytes]:
            found = reading(source.path, read)
            if not found:
                raise UnreadableSessionError(
                    f"{source.path} no longer holds {source.native_id}; what was archived stays"
                )
            return found

        return follow_records(database_stamp(source.path), records, since)


def _sessions_of(connection: sqlite3.Connection) -> list[str]:
    if not columns(connection, _TABLE):
        return []
    rows = connection.execute(f"SELECT DISTINCT session_id FROM {_TABLE} ORDER BY 1")  # noqa: S608 - a name of ours
    return [str(row[0]) for row in rows]


def _records(connection: sqlite3.Connection, native: str) -> list[bytes]:
    """Each entry's JSON; one that cannot be unpacked is `null`, which its parser counts."""
    packed = "event_zstd" if "event_zstd" in columns(connection, _TABLE) else "NULL"
    query = f"SELECT event_json, {packed} FROM {_TABLE} WHERE session_id = ? ORDER BY seq"  # noqa: S608 - names of ours
    found = (
        str(text).encode() if text is not None else _unpacked(data)
        for text, data in connection.execute(query, (native,))
    )
    return [record.replace(b"\n", b" ") for record in found]


def _unpacked(data: object) -> bytes:
    if not isinstance(data, bytes):
        return b"null"
    try:
        return zstd.ZstdDecompressor().decompress(data, longest_line())
    except zstd.ZstdError:
        return b"null"


PROVIDER = OpenClaw()
