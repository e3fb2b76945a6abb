"""Codex: one JSONL rollout a session, by date; archived flat; maybe compressed.

Reads `sessions/` and `archived_sessions/` below `${CODEX_HOME:-~/.codex}`, one source a session. A
rollout may become `.jsonl.zst` while we look: both are one source, with one raw stream. Finding
them costs a directory entry a file.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ..find_paths import glob_below
from ..follow.append import follow_append, read_plain
from ..follow.compressed import follow_compressed, head_of
from ..follow.stamp import Stamp, stamp_of
from ..formats.json_lines import as_dict, as_str, decode_lenient, lines
from ..parsing import RecordParser
from ..protocol import Cursor, Home, Kind, RawDelta, Source
from ..session_files import SessionFileProvider
from .history import CodexHistoryParser, follow_history, histories
from .parser import CodexDocumentParser, CodexParser

_ID = re.compile(r"([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$")
_HEAD = 1 << 16


def _follow(path: Path, since: Cursor | None) -> Iterator[RawDelta]:
    """Follow whichever of the two forms is there; the agent may just have swapped them."""
    plain_form = path.with_suffix("") if path.suffix == ".zst" else path
    packed = plain_form.with_name(plain_form.name + ".zst")
    if plain_form.exists() or not packed.exists():
        yield from follow_append(plain_form, since)
    else:
        yield from follow_compressed(packed, since)


_index: dict[Path, tuple[Stamp, dict[str, str]]] = {}


def _titles(path: Path) -> dict[str, str]:
    """Titles by session, as they stand now; read again only when the file changed."""
    try:
        changed = stamp_of(path.stat())
        if path not in _index or _index[path][0] != changed:
            entries = (as_dict(decode_lenient(line)) for line, _, _ in lines(read_plain(path)))
            titles = {
                as_str(entry.get("id")): as_str(entry.get("thread_name")) for entry in entries
            }
            _index[path] = (changed, titles)
    except OSError:
        return {}
    return _index[path][1]


def _facts(source: Source) -> dict[str, Any]:
    """What is known next to a rollout: its title, and whether the session it repeats is there."""
    facts: dict[str, Any] = {"known": True}
    root = next((p.parent for p in source.path.parents if p.name.endswith("sessions")), None)
    if root is None or source.kind is not Kind.APPEND:
        return facts
    if title := _titles(root / "session_index.jsonl").get(source.native_id or ""):
        facts["title"] = title
    first = head_of(source.path, _HEAD).partition(b"\n")[0]
    meta = as_dict(as_dict(decode_lenient(first)).get("payload"))
    if above := as_str(meta.get("forked_from_id")) or as_str(meta.get("parent_thread_id")):
        copies = (root / folder for folder in ("sessions", "archived_sessions"))
        parent_exists = any(
            any(glob_below(folder, f"**/rollout-*-{above}.json*")) for folder in copies
        )
        facts["parent_here"] = parent_exists
    return facts


class Codex(SessionFileProvider):
    """Provider of `${CODEX_HOME:-~/.codex}`."""

    agent = "codex"

    def roots(self, home: Home) -> tuple[Path, ...]:
        """Codex's folder."""
        return (home.folder("CODEX_HOME", ".codex"),)

    def discover(self, home: Home) -> Iterator[Source]:
        """A source for each rollout, and for each thread that only the database still has."""
        (root,) = self.roots(home)
        rollouts: dict[str, Path] = {}
        for folder in ("sessions", "archived_sessions"):
            for path in sorted(glob_below(root / folder, "**/rollout-*.json*")):
                name = path.name.partition(".json")[0]
                native = match.group(1) if (match := _ID.search(name)) else name
                # Where a rollout exists both plain and compressed, the plain one is the newer.
                if native not in rollouts or path.suffix == ".jsonl":
                    rollouts[native] = path
        for native, path in rollouts.items():
            kind = Kind.WHOLE if path.suffix == ".json" else Kind.APPEND
            yield self.source(home, path, native, kind)
        for native, path in histories(root):
            if native not in rollouts:
                yield self.source(home, path, native, Kind.DATABASE)

    def follow(self, source: Source, since: Cursor | None = None) -> Iterator[RawDelta]:
        """What was appended; of a compressed rollout, what it has beyond what was read."""
        if source.kind is Kind.DATABASE:
            return follow_history(source, since)
        if source.kind is Kind.WHOLE:
            return super().follow(source, since)
        return _follow(source.path, since)

    def parser_for(self, source: Source) -> type[RecordParser]:
        """By the rollout's generation."""
        if source.kind is Kind.DATABASE:
            return CodexHistoryParser
        return CodexDocumentParser if source.kind is Kind.WHOLE else CodexParser

    def facts(self, source: Source, stored: dict[str, Any]) -> dict[str, Any]:
        """Look for the facts next to a rollout once."""
        return stored if "known" in stored else {**stored, **_facts(source)}


PROVIDER = Codex()
