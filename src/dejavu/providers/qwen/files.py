"""Qwen Code: one JSONL file a session, records in a chain, contents as Gemini's parts.

Reads `projects/*/chats/*.jsonl` below `${QWEN_RUNTIME_DIR:-${QWEN_HOME:-~/.qwen}}` (and the
documents of older versions below `tmp/*/chats`), one source a session.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from dejavu.model import Extension, Part, Relation, Role, Span, Text, Usage, from_iso

from ..conversation_builder import ConversationBuilder
from ..formats import google_parts
from ..formats.json_coerce import as_dict, as_int, as_str
from ..formats.json_lines import UNREADABLE, decode_lenient
from ..gemini.files import GeminiDocumentParser
from ..message_assembler import MessageAssembler, Piece
from ..parsing import MAIN, RecordParser
from ..protocol import Home, Kind, Source
from ..session_files import SessionFileProvider

_QUIET = frozenset({"attribution_snapshot", "file_history_snapshot", "session_snapshot"})


class QwenParser(MessageAssembler):
    """One session, one conversation."""

    version = 2

    def record(self, line: memoryview, span: Span) -> None:
        """Take one record of the chain."""
        record = as_dict(decode_lenient(line))
        if not record:
            self.drift[UNREADABLE] += 1
            return
        thread = self._thread(record)
        piece = Piece(record, span, from_iso(record.get("timestamp")))
        content = record.get("message") and [record["message"], record.get("usageMetadata")]
        if self.is_repeated(line, piece.at, record.get("uuid"), content):
            return
        kind = as_str(record.get("type"))
        chain = {
            "native_id": as_str(record.get("uuid")) or None,
            "parent": as_str(record.get("parentUuid")) or None,
        }
        message_parts, results = google_parts.parts(
            as_dict(record.get("message")).get("parts"), self.source.agent
        )
        if kind == "user":
            typed = as_str(record.get("provenance")) in ("", "real_user")
            role = Role.USER if typed else Role.SYSTEM
            if message_parts:
                self.add(thread, role, message_parts, piece, **chain)
        elif kind == "assistant":
            self.end(thread)
            if message_parts:
                self.append_assistant(
                    thread, message_parts, piece, model=as_str(record.get("model")) or None, **chain
                )
            self.set_usage(thread, _usage(as_dict(record.get("usageMetadata"))))
        elif kind == "tool_result":
            diff = _diff(as_dict(as_dict(record.get("toolCallResult")).get("resultDisplay")))
            self.add(thread, Role.TOOL, [*results, *diff], piece, **chain)
        elif kind == "system":
            self._system(thread, line, piece)
        else:
            self.append_unknown(thread, kind or "(untyped)", line, span, at=piece.at)

    def _thread(self, record: dict[str, Any]) -> ConversationBuilder:
        if MAIN not in self.threads:
            session = as_str(record.get("sessionId"))
            native = self.source.native_id or session or self.source.path.stem
            parent = session if session and session != native else None
            head = self.head(native, parent=parent, relation=Relation.RESUME)
            self.threads[MAIN] = ConversationBuilder(head)
        thread = self.threads[MAIN]
        folder = thread.head.workspace or as_str(record.get("cwd"))
        self.amend(thread, workspace=folder, agent_version=as_str(record.get("version")))
        return thread

    def _system(self, thread: ConversationBuilder, line: memoryview, piece: Piece) -> None:
        kind = as_str(piece.payload.get("subtype"))
        payload = as_dict(piece.payload.get("systemPayload"))
        event = as_dict(payload.get("uiEvent"))
        if kind == "ui_telemetry":
            if as_str(event.get("event.name")).endswith("api_error"):
                status = event.get("status_code")
                data = {} if status is None else {"status": status}
                self.append_error(thread, as_str(event.get("error_message")), piece, data)
        elif kind == "custom_title":
            self.amend(
                thread, title=as_str(payload.get("customTitle")) or as_str(payload.get("title"))
            )
        elif kind == "slash_command":
            command = as_str(payload.get("rawCommand"))
            parts: list[Part] = [Extension("qwen.command", payload), Text(command)]
            self.add(thread, Role.SYSTEM, parts, piece)
        elif kind not in _QUIET:
            self.append_unknown(thread, f"system/{kind}", line, piece.span, at=piece.at)


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
