"""Pi: one JSONL file a session, entries in a tree.

Reads `sessions/*/<time>_<id>.jsonl` below `${PI_CODING_AGENT_DIR:-~/.pi/agent}`, one source a
session. Going back in a session makes a second child; both branches stay in the order they were
written.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from dejavu.model import Relation, Role, Text
from dejavu.model.compaction import compacted

from ..entry_parsers import Entries, LineEntries
from ..formats import content_blocks as blocks
from ..formats.entries import Entry, Session, time_of
from ..formats.json_lines import as_dict, as_str
from ..protocol import Home, Source
from ..session_files import SessionFileProvider
from .records import message_entries

_SILENT = frozenset({"thinking_level_change", "label", "custom", "leaf", "model_change"})
_ABOVE = re.compile(r"_([0-9a-zA-Z-]+)\.jsonl$")


class PiParser(LineEntries):
    """One session, one conversation."""

    version = 4

    def identity(self, record: dict[str, Any]) -> tuple[Any, Any, Any]:
        """By the message, whatever else of its line differs."""
        return record.get("timestamp"), record.get("id"), record.get("message")

    def entries(self, record: dict[str, Any]) -> Entries:
        """One entry of the tree: the session's header, a message, or a summary."""
        kind, at = as_str(record.get("type")), time_of(record.get("timestamp"))
        chain: dict[str, Any] = {
            "native_id": as_str(record.get("id")) or None,
            "parent": as_str(record.get("parentId")) or None,
        }
        if kind == "session":
            above = as_str(record.get("parentSession")) or as_str(record.get("branchedFrom"))
            match = _ABOVE.search(above)
            parent = match.group(1) if match else ""
            return [
                Session("", as_str(record.get("cwd")), at, parent=parent, relation=Relation.FORK)
            ]
        if kind == "message":
            return message_entries(as_dict(record.get("message")), at, self._strange, **chain)
        if kind in ("compaction", "branch_summary"):
            text = Text(as_str(record.get("summary")))
            meta = (
                compacted(since=as_str(record.get("firstKeptEntryId")))
                if kind == "compaction"
                else {"branch_summary": True}
            )
            return [Entry(Role.SYSTEM, (text,), at=at, meta=meta, **chain)]
        if kind == "custom_message":
            parts, _ = blocks.parts(record.get("content"), "pi", self._strange)
            return [Entry(Role.SYSTEM, tuple(parts), at=at, **chain)]
        if kind == "session_info":
            return [Session(as_str(record.get("name")))]
        return [] if kind in _SILENT else None


class Pi(SessionFileProvider):
    """Provider of `~/.pi/agent/sessions`."""

    agent = "pi"
    parser_class = PiParser

    def roots(self, home: Home) -> tuple[Path, ...]:
        """Pi's folder, and that of its sessions where it is named."""
        folder = home.folder("PI_CODING_AGENT_DIR", ".pi", "agent")
        if home.environ.get("PI_CODING_AGENT_SESSION_DIR"):
            return folder, home.folder("PI_CODING_AGENT_SESSION_DIR")
        return (folder,)

    def discover(self, home: Home) -> Iterator[Source]:
        """A source for each session."""
        folder, *sessions = self.roots(home)
        root = sessions[0] if sessions else folder / "sessions"
        for path in sorted([*root.glob("*.jsonl"), *root.glob("*/*.jsonl")]):
            native = path.stem.rpartition("_")[2]
            yield self.source(home, path, native)


PROVIDER = Pi()
