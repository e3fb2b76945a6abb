"""Files below an agent's folders that look like conversations, though its provider lists none of them.

An agent that changes its layout or its tables leaves such files. A file counts by what is in it: JSON
with a role of a conversation, lines in a folder named after conversations, or a database with messages or
with documents in a table named after them. Settings, caches and empty files do not count. Links are not
followed. Costs a look at `_MOST` directory entries and the first 64 KB of a file at most; decides nothing about
files that a provider lists.

Tested in: tests/ingest/test_silent_stores.py
"""

import os
import re
import sqlite3
from collections.abc import Collection, Iterator
from pathlib import Path

from dejavu.model import UnreadableSessionError

from .find_paths import folders_below
from .follow.append import open_plain
from .follow.sqlite import reading
from .protocol import Home, Provider, search_roots

_MOST = 20_000  # files of one agent that are looked at
_HEAD = 1 << 16  # bytes of a file's beginning
_DOCUMENTS = frozenset({".json", ".jsonl", ".ndjson"})
_LINES = frozenset({".jsonl", ".ndjson", ".zst", ".zstd", ".pb"})
_DATABASES = frozenset({".db", ".sqlite", ".sqlite3"})
_TALK = frozenset({
    "session", "sessions", "conversation", "conversations", "chat", "chats", "thread", "threads",
    "transcript", "transcripts", "trajectory", "trajectories", "message", "messages",
})  # fmt: skip
_OTHER = frozenset({
    "plugins", "extensions", "skills", "node_modules", "cache", "caches", "log", "logs", "bin",
    "backups", ".git", "tool-results", "file-history", "checkpoints", "snapshots",
})  # fmt: skip
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+")
_ROLE = re.compile(
    rb'"[\w.]*(?:role|type|author|sender|variant)\w*"\s*:\s*'
    rb'"(?:user|human|assistant|model|ai|agent)"',
    re.IGNORECASE,
)
_WORDS = re.compile(
    rb'"\w*(?:message|text|content|prompt|response|question|answer)\w*"\s*:\s*"[^"]*\w [^"]*\w "?',
    re.IGNORECASE,
)
_SQLITE = b"SQLite format 3\0"
_KEYS = ("itemtable", "cursordiskkv")  # an editor keeps all it likes there, under any key
_ROWS = 5_000  # of a table that are looked at
_MESSAGE = (
    "length({0}) > 32 AND (instr({0}, '\"role') OR instr({0}, '\"text') OR instr({0}, '\"content'))"
)
_DOCUMENT = (
    "length({0}) > 200 OR (length({0}) > 32 AND"
    " (typeof({0}) = 'blob' OR substr(ltrim({0}), 1, 1) IN ('{{', '[')))"
)
"""What a value is that may hold something said: packed, JSON, or long."""


def unlisted_files(provider: Provider, home: Home, listed: Collection[Path] = ()) -> Iterator[Path]:
    """Files that look like conversations below the folders of `provider`, without those `listed`."""
    seen = 0
    for root in sorted(search_roots(provider, home)):
        for folder in [root] if root.is_file() else folders_below(root):
            inside = folder.relative_to(root).parts
            if not _OTHER.isdisjoint(inside):
                continue
            for path in _files(folder):
                seen += 1
                if seen > _MOST:
                    return
                talk = any(_is_talk(name) for name in (root.name, *inside))
                if path not in listed and _looks_like_talk(path, talk=talk, top=not inside):
                    yield path


def has_roles(data: bytes) -> bool:
    """Whether JSON names one who speaks, under whichever key: a message of a conversation."""
    return _ROLE.search(data, 0, _HEAD) is not None


def holds_talk(path: Path) -> bool:
    """Whether a database holds messages, or documents of conversations, or is damaged.

    Raises:
        OSError: it is missing or may not be read.
    """
    try:
        return reading(path, _holds_talk)
    except UnreadableSessionError:
        return True


def _files(folder: Path) -> list[Path]:
    if folder.is_file():
        return [folder]
    try:
        with os.scandir(folder) as entries:
            names = [one.path for one in entries if one.is_file(follow_symlinks=False)]
    except OSError:  # the walk of the final sync names it
        return []
    return [Path(name) for name in sorted(names)]


def _is_talk(name: str) -> bool:
    return not _TALK.isdisjoint(word.lower() for word in _WORD.findall(name))


def _looks_like_talk(path: Path, *, talk: bool, top: bool) -> bool:
    suffix = path.suffix if path.stem else path.name
    suffix = suffix if suffix in _DATABASES else path.suffix
    if suffix not in _DOCUMENTS | _LINES | _DATABASES:
        return False
    try:
        with os.fdopen(open_plain(path), "rb") as file:
            head = file.read(_HEAD)
        if not head.strip(b"\0 \t\r\n"):
            return False
        if suffix in _DATABASES:
            return holds_talk(path) if head.startswith(_SQLITE) else talk or top
    except (OSError, UnreadableSessionError):
        return False
    if suffix in _DOCUMENTS and has_roles(head):
        return True
    return talk and (suffix in _LINES or _WORDS.search(head) is not None)


def _holds_talk(connection: sqlite3.Connection) -> bool:
    rows = connection.execute(
        "SELECT name FROM sqlite_master WHERE type = 'table' AND rootpage > 0"
    )
    tables = [str(row["name"]) for row in rows]
    return any(_has_document(connection, name) for name in tables if name.lower() not in _KEYS)


def _has_document(connection: sqlite3.Connection, table: str) -> bool:
    columns = connection.execute(f"PRAGMA table_info({_quoted(table)})")
    names = [_quoted(str(row["name"])) for row in columns]
    test = _DOCUMENT if _is_talk(table) else _MESSAGE
    if _is_talk(table) and '"role"' in names:
        test = "1"  # a row is a message
    tests = " OR ".join(f"({test.format(name)})" for name in names)
    query = f"SELECT 1 FROM (SELECT * FROM {_quoted(table)} LIMIT {_ROWS}) WHERE {tests} LIMIT 1"  # noqa: S608 - names of the schema, quoted
    return bool(names) and connection.execute(query).fetchone() is not None


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
