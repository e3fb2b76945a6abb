"""Qwen Code: one JSONL file a session, records in a chain, contents as Gemini's parts.

Reads `projects/*/chats/*.jsonl` below `${QWEN_RUNTIME_DIR:-${QWEN_HOME:-~/.qwen}}` (and the
documents of older versions below `tmp/*/chats`), one source a session.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from dejavu.model import Extension, Part, Relation, Role, Text, Usage
from dejavu.model.compaction import NONE, compacted

from ..entry_parsers import Entries, LineEntries
from ..formats import google_parts
from ..formats.entries import Entry, Session, error_entry, first_str, time_of
from ..formats.json_lines import as_dict, as_dicts, as_int, as_str
from ..gemini.files import GeminiDocumentParser
from ..parsing import MAIN, RecordParser
from ..protocol import Home, Kind, Source
from ..session_files import SessionFileProvider

_SUMMARY = 2  # messages: the summary and the answer to it
_QUIET = frozenset({"attribution_snapshot", "file_history_snapshot", "session_snapshot"})


class QwenParser(LineEntries):
    """One session, one conversation."""

    version = 4

    def identity(self, record: dict[str, Any]) -> tuple[Any, Any, Any]:
        """By the message and its tokens, whatever else of its line differs."""
        content = record.get("message") and [record["message"], record.get("usageMetadata")]
        return record.get("timestamp"), record.get("uuid"), content

    def kind_of(self, record: dict[str, Any]) -> str:
        """By its type, a system record by its subtype too."""
        kind = as_str(record.get("type"))
        return f"system/{as_str(record.get('subtype'))}" if kind == "system" else kind

    def entries(self, record: dict[str, Any]) -> Entries:
        """One record of the chain."""
        kind = as_str(record.get("type"))
        said = self._system(record) if kind == "system" else self._message(kind, record)
        return None if said is None else [self._session(record), *said]

    def _session(self, record: dict[str, Any]) -> Session:
        """The folder and the parent that the first records name."""
        begun = self.threads.get(MAIN)
        return Session(
            workspace=(begun.head.workspace if begun else "") or as_str(record.get("cwd")),
            agent_version=as_str(record.get("version")),
            parent="" if begun else as_str(record.get("sessionId")),
            relation=Relation.RESUME,
        )

    def _message(self, kind: str, record: dict[str, Any]) -> list[Entry] | None:
        parts, results = google_parts.parts(
            as_dict(record.get("message")).get("parts"), self.source.agent
        )
        one = Entry(
            Role.SYSTEM,
            tuple(parts),
            at=time_of(record.get("timestamp")),
            native_id=as_str(record.get("uuid")) or None,
            parent=as_str(record.get("parentUuid")) or None,
        )
        if kind == "user":
            typed = as_str(record.get("provenance")) in ("", "real_user")
            return [one._replace(role=Role.USER) if typed else one]
        if kind == "assistant":
            usage = _usage(as_dict(record.get("usageMetadata")))
            model = as_str(record.get("model")) or None
            return [one._replace(role=Role.ASSISTANT, model=model, usage=usage)]
        if kind == "tool_result":
            diff = _diff(as_dict(as_dict(record.get("toolCallResult")).get("resultDisplay")))
            return [one._replace(role=Role.TOOL, parts=(), results=(*results, *diff))]
        return None

    def _system(self, record: dict[str, Any]) -> list[Entry | Session] | None:
        kind, at = as_str(record.get("subtype")), time_of(record.get("timestamp"))
        payload = as_dict(record.get("systemPayload"))
        event = as_dict(payload.get("uiEvent"))
        if kind == "ui_telemetry":
            if not as_str(event.get("event.name")).endswith("api_error"):
                return []
            status = event.get("status_code")
            data = {} if status is None else {"status": status}
            return [error_entry("qwen", as_str(event.get("error_message")), at, data)]
        if kind == "custom_title":
            return [Session(first_str(payload, "customTitle", "title"))]
        if kind == "chat_compression":
            return [_compression(as_dicts(payload.get("compressedHistory")), at)]
        if kind == "slash_command":
            command = Text(as_str(payload.get("rawCommand")))
            return [Entry(Role.SYSTEM, (Extension("qwen.command", payload), command), at=at)]
        return [] if kind in _QUIET else None


def _compression(history: list[dict[str, Any]], at: float | None) -> Entry:
    """A summary, and the messages after it that were kept as they were, if any."""
    first = as_dicts(history[0].get("parts")) if history else []
    words = "\n".join(text for part in first if (text := as_str(part.get("text"))))
    part = Text(words) if words else Extension("qwen.compaction", {})
    what = NONE if 0 < len(history) <= _SUMMARY else ""
    return Entry(Role.SYSTEM, (part,), at=at, meta=compacted(what))


def _diff(shown: dict[str, Any]) -> list[Part]:
    diff = as_str(shown.get("fileDiff"))
    return [Extension("qwen.diff", {"path": shown.get("fileName"), "diff": diff})] if diff else []


def _usage(metadata: dict[str, Any]) -> Usage | None:
    if not metadata:
        return None
    output = as_int(metadata.get("candidatesTokenCount"))
    thought = as_int(metadata.get("thoughtsTokenCount"))
    prompt, total = (as_int(metadata.get(name)) for name in ("promptTokenCount", "totalTokenCount"))
    if output is not None and thought and total == (prompt or 0) + output + thought:
        output += thought  # where the model's own API counts them apart; others' do not
    return Usage(
        input_tokens=prompt,
        output_tokens=output,
        cache_read_input_tokens=as_int(metadata.get("cachedContentTokenCount")),
        reasoning_output_tokens=thought,
    )


class Qwen(SessionFileProvider):
    """Provider of `${QWEN_RUNTIME_DIR:-${QWEN_HOME:-~/.qwen}}`."""

    agent = "qwen"

    def roots(self, home: Home) -> tuple[Path, ...]:
        """Its folder, and the one it writes to where that is another."""
        folder = home.folder("QWEN_HOME", ".qwen")
        if home.environ.get("QWEN_RUNTIME_DIR"):
            return folder, home.folder("QWEN_RUNTIME_DIR")
        return (folder,)

    def discover(self, home: Home) -> Iterator[Source]:
        """A source for each session."""
        root = self.roots(home)[-1]
        for path in sorted(root.glob("projects/*/chats/*.jsonl")):
            yield self.source(home, path, path.stem)
        for path in sorted(root.glob("tmp/*/chats/*.json")):
            name = f"{path.parents[1].name}/{path.stem}"
            yield Source(self.agent, path, home.instance, Kind.WHOLE, None, home.workspace, name)

    def parser_for(self, source: Source) -> type[RecordParser]:
        """By the form the session has."""
        return QwenParser if source.kind is Kind.APPEND else GeminiDocumentParser


PROVIDER = Qwen()
