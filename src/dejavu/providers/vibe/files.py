"""Mistral Vibe: entries of a store a session; in older versions messages, a JSONL file a session.

Reads `logs/session/unified/*` (seen of 3.0.2, see `unified_store`), `logs/session/*/messages.jsonl` and
the documents of before 1.3, all below `${VIBE_HOME:-~/.vibe}`. A description is next to each.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from dejavu.model import Reasoning, Role, ToolCall, ToolCallResponse

from ..entry_parsers import DocumentEntries, Entries, LineEntries
from ..follow.records import follow_records
from ..formats import content_blocks as blocks
from ..formats.entries import Entry, Session, first_str, texts, time_of
from ..formats.json_lines import as_dict, as_str
from ..parsing import RecordParser
from ..protocol import Cursor, Home, Kind, RawDelta, Source
from ..store_provider import StoreProvider, document_beside
from . import AGENT
from .unified_store import CURRENT, journal_files, read_entries, store_stamp


def _session(meta: dict[str, Any]) -> Session:
    folder = as_str(as_dict(meta.get("environment")).get("working_directory"))
    config = as_dict(meta.get("config"))
    return Session(
        as_str(meta.get("title")),
        folder,
        time_of(meta.get("start_time")),
        parent=as_str(meta.get("parent_session_id")),
        model=first_str(config, "model_name", "active_model", "model"),
    )


class VibeParser(LineEntries):
    """One session, one conversation."""

    repeats = False


class VibeDocumentParser(DocumentEntries):
    """A session of older versions, in one document."""

    def session(self, document: dict[str, Any]) -> Session:
        """What its description says."""
        return _session(as_dict(document.get("metadata")))


class VibeStoreParser(LineEntries):
    """A session of the store: messages, thoughts, and what tools did."""

    repeats = False

    def memory(self) -> dict[str, Any]:
        """Whether a thought was the last."""
        return {**super().memory(), "thought": self._thought}

    def remember(self, memory: dict[str, Any]) -> None:
        """The inverse."""
        super().remember(memory)
        self._thought = bool(memory.get("thought"))

    def entries(self, record: dict[str, Any]) -> Entries:
        """One entry; an answer continues after its thought, a call after its answer."""
        kind, native = as_str(record.get("type")), as_str(record.get("id")) or None
        at, after_thought = time_of(record.get("createdAt")), self._thought
        self._thought = kind == "reasoning"
        if kind == "reasoning":
            words = as_str(record.get("text")) or texts(record.get("summary"))
            return [Entry(Role.ASSISTANT, (Reasoning(words),), (), at, native)] if words else []
        if kind == "message":
            role = Role.USER if record.get("role") == "user" else Role.ASSISTANT
            said, results = blocks.parts(record.get("content"), self.source.agent, self._strange)
            joined = after_thought and role is Role.ASSISTANT
            return [Entry(role, tuple(said), tuple(results), at, native, joined=joined)]
        return _effect(record, native, at) if kind == "effect" else None


def _effect(record: dict[str, Any], native: str | None, at: float | None) -> list[Entry]:
    """A call, and what came of it once it ended."""
    detail, state = as_dict(record.get("detail")), as_dict(record.get("state"))
    name = first_str(detail, "toolName", "kind") or first_str(record, "title") or "tool"
    call = ToolCall(native, name, blocks.arguments(detail.get("input")))
    entries = [Entry(Role.ASSISTANT, (call,), (), at, native, joined=True)]
    output, error = as_dict(state.get("output")), as_dict(state.get("error"))
    shown = (
        texts(output.get("content")) or output.get("structured_content") or state.get("outputText")
    )
    failed = state.get("status") == "failed"
    if as_str(state.get("status")) not in ("", "pending", "running", "in_progress"):
        result = ToolCallResponse(native, shown or first_str(error, "message"), failed)
        entries.append(Entry(Role.TOOL, (), (result,), time_of(record.get("updatedAt"))))
    return entries


class Vibe(StoreProvider):
    """Provider of `${VIBE_HOME:-~/.vibe}/logs/session`."""

    def discover(self, home: Home) -> Iterator[Source]:
        """A source for each session."""
        found: set[str | None] = set()
        for root in self.roots(home)[:1]:
            for path in sorted(root.glob(f"unified/*/{CURRENT}")):
                found.add(path.parent.name)
                source = self.source(home, path, path.parent.name, Kind.DATABASE)
                journal = (path.parent / "journal", *journal_files(path.parent))
                yield replace(source, extra_paths=journal)
        yield from (source for source in super().discover(home) if source.native_id not in found)

    def follow(self, source: Source, since: Cursor | None = None) -> Iterator[RawDelta]:
        """A session's entries, or a file.

        Raises:
            OSError, UnreadableSessionError: a file of the store is missing or damaged.
        """
        if source.kind is not Kind.DATABASE:
            return super().follow(source, since)
        folder = source.path.parent
        return follow_records(store_stamp(folder), lambda: read_entries(folder), since)

    def parser_for(self, source: Source) -> type[RecordParser]:
        """By the form the session has."""
        if source.kind is Kind.DATABASE:
            return VibeStoreParser
        return VibeDocumentParser if source.kind is Kind.WHOLE else VibeParser

    def facts(self, source: Source, stored: dict[str, Any]) -> dict[str, Any]:
        """What `meta.json` holds."""
        said = _session(as_dict(document_beside(source.path.with_name("meta.json"))))
        facts = {
            "title": said.title,
            "workspace": said.workspace,
            "began": said.started_at,
            "parent": said.parent,
            "model": said.model,
        }
        return {**stored, **{name: fact for name, fact in facts.items() if fact}}


PROVIDER = Vibe(AGENT)
