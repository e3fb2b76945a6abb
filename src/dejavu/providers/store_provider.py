"""Providers of agents that keep a file a session, made of what their `Store` says.

A subclass adds what is next to a file (`facts`). A store without a form is kept as it is, so
that a later version can read what it archived: its parser says nothing. Looking costs a stat a
pattern where nothing is there, and a directory entry a file.

Tested in: tests/providers/vibe/test_files.py
"""

import os
from collections.abc import Iterator
from fnmatch import fnmatch
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

from .agent import Agent, Store
from .find_paths import glob_below
from .follow.compressed import follow_compressed
from .follow.opaque import follow_opaque
from .follow.session_database import SessionDatabase
from .formats.json_lines import decode_lenient
from .parsing import RecordParser
from .protocol import Cursor, Home, Kind, RawDelta, Source
from .registry import EDITORS
from .session_files import SessionFileProvider

_APPEND = frozenset({".jsonl", ".ndjson", ".zst", ".zstd"})
_DATABASES = frozenset({".db", ".sqlite", ".sqlite3", ".vscdb", ".pb"})
_MAGIC = "*?["


class KeptParser(RecordParser):
    """A parser of what we do not understand: the bytes are kept, no turns come of them."""

    def feed(self, data: bytes, offset: int) -> None:
        """Take no notice."""

    def record(self, line: memoryview, span: Any) -> None:
        """Take no notice."""


class StoreProvider(SessionFileProvider):
    """Provider of the sessions of one agent, where its `Store` says they are."""

    def __init__(self, agent: Agent) -> None:
        self.agent = agent.name
        self.store = agent.store or Store()

    def roots(self, home: Home) -> tuple[Path, ...]:
        """The folders above the first wildcard of each pattern."""
        roots = (folder / _fixed(pattern)[0] for folder, pattern in self._patterns(home))
        return tuple(dict.fromkeys(roots))

    def _patterns(self, home: Home) -> Iterator[tuple[Path, str]]:
        store = self.store
        if store.base:
            base = home.folder(store.variable or None, *store.base.split("/"))
            yield from ((base, pattern) for pattern in store.paths)
        yield from ((home.path, pattern) for pattern in store.home)
        if store.data:
            data = home.xdg_data("")
            yield from ((data, pattern) for pattern in store.data)
        if store.vscode:
            for folder in user_folders(home, store.editors):
                yield from ((folder, pattern) for pattern in store.vscode)

    def paths(self, home: Home) -> Iterator[Path]:
        """Every file that a pattern names, once, without what is excluded."""
        seen: set[Path] = set()
        for folder, pattern in self._patterns(home):
            fixed, rest = _fixed(pattern)
            start = folder / fixed
            if not os.path.lexists(start):
                continue
            for path in sorted(glob_below(start, rest)) if rest else [start]:
                if path in seen or any(fnmatch(path.name, name) for name in self.store.excluded):
                    continue
                if path.is_file() or not path.is_dir():
                    seen.add(path)
                    yield path

    def native_id(self, path: Path) -> str:
        """The session's id, as the path tells it."""
        up, parents = self.store.native, path.parents
        own = path.name.partition(".")[0] or path.name
        if self.store.separator:
            own = own.rpartition(self.store.separator)[2]
        name = parents[up - 1].name if up and len(parents) >= up else own
        if self.store.parent and path.parent.name == "subagents":
            return f"{parents[self.store.parent - 1].name}/{own}"
        return name

    def kind(self, path: Path) -> Kind:
        """How a file grows."""
        if self.store.kind:
            return Kind(self.store.kind)
        if path.suffix in _DATABASES or (not self.store.form and path.suffix not in _APPEND):
            return Kind.DATABASE
        return Kind.APPEND if path.suffix in _APPEND else Kind.WHOLE

    def discover(self, home: Home) -> Iterator[Source]:
        """A source for each session; two files of one id are told apart by their folders."""
        ids: dict[str, Path] = {}
        for path in self.paths(home):
            native = self.native_id(path)
            if not self.store.form:
                name = str(path.relative_to(home.path)) if path.is_relative_to(home.path) else ""
                yield Source(
                    self.agent, path, home.instance, self.kind(path), None, home.workspace, name
                )
                continue
            if native in ids:
                native = f"{native}@{path.parent.name}"
            if native in ids:
                continue
            ids[native] = path
            yield self.source(home, path, native, self.kind(path))

    def follow(self, source: Source, since: Cursor | None = None) -> Iterator[RawDelta]:
        """What was appended, or the whole file if it changed."""
        if source.kind is Kind.DATABASE:
            return follow_opaque(source.path, since)
        if source.path.suffix in (".zst", ".zstd"):
            return follow_compressed(source.path, since)
        return super().follow(source, since)

    def parser_for(self, source: Source) -> type[RecordParser]:  # noqa: ARG002 - one form suffices here
        """The parser of the store's form."""
        return _form(self.store.form) if self.store.form else KeptParser


@cache
def _form(reference: str) -> type[RecordParser]:
    module, _, name = reference.partition(":")
    parser: type[RecordParser] = getattr(import_module(f".{module}", __package__), name)
    return parser


class CombinedProvider(StoreProvider):
    """An agent that keeps files, and sessions in a database; of a session in both the latter."""

    def __init__(self, agent: Agent, database: SessionDatabase) -> None:
        super().__init__(agent)
        self.database = database
        database.agent = agent.name

    def roots(self, home: Home) -> tuple[Path, ...]:
        """Those of both."""
        return tuple(dict.fromkeys((*self.database.roots(home), *super().roots(home))))

    def discover(self, home: Home) -> Iterator[Source]:
        """A source for each session."""
        stored: set[str | None] = set()
        for source in self.database.discover(home):
            stored.add(source.native_id)
            yield source
        yield from (source for source in super().discover(home) if source.native_id not in stored)

    def follow(self, source: Source, since: Cursor | None = None) -> Iterator[RawDelta]:
        """Rows, or a file."""
        if source.kind is Kind.DATABASE:
            return self.database.follow(source, since)
        return super().follow(source, since)

    def parser(
        self, source: Source, state: bytes | None = None, *, restart: bool = False
    ) -> RecordParser:
        """By the form the session has."""
        if source.kind is Kind.DATABASE:
            return self.database.parser(source, state, restart=restart)
        return super().parser(source, state, restart=restart)


def provider_of(agent: Agent) -> StoreProvider:
    """The provider of an agent that only says where its sessions lie."""
    return StoreProvider(agent)


def user_folders(home: Home, editors: tuple[str, ...] = ()) -> list[Path]:
    """The user folders of those editors that are here; if none is, the first that may come."""
    names = editors or EDITORS
    config, mac = (
        home.folder("XDG_CONFIG_HOME", ".config"),
        home.path / "Library" / "Application Support",
    )
    found = [base / name / "User" for base in (config, mac) if base.is_dir() for name in names]
    server = home.path / ".vscode-server" / "data" / "User"
    first = config / names[0] / "User"  # where the first of them would be
    return [folder for folder in (*found, server) if folder.is_dir()] or [first]


@cache
def _fixed(pattern: str) -> tuple[str, str]:
    """A pattern's folders before the first wildcard, and the rest of it."""
    parts = pattern.split("/")
    wild = next((i for i, part in enumerate(parts) if any(c in part for c in _MAGIC)), len(parts))
    return "/".join(parts[:wild]), "/".join(parts[wild:])


def document_beside(path: Path) -> Any:
    """The value of a small JSON document next to a session; None if there is none."""
    from .follow.append import read_plain  # only stores with side files read them

    try:
        return decode_lenient(read_plain(path))
    except OSError:
        return None
