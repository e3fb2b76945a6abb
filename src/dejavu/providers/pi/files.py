"""Pi: one JSONL file a session, entries in a tree.

Reads `sessions/*/<time>_<id>.jsonl` below `${PI_CODING_AGENT_DIR:-~/.pi/agent}`, one source a
session. Going back in a session makes a second child; both branches stay in the order they were
written.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from dejavu.model import (
    Extension,
    Part,
    Relation,
    Role,
    Span,
    Text,
    ToolCallResponse,
    Usage,
    from_iso,
)

from ..conversation_builder import ConversationBuilder
from ..formats import content_blocks as blocks
from ..formats.json_coerce import as_dict, as_float, as_int, as_str
from ..formats.json_lines import UNREADABLE, decode_lenient
from ..message_assembler import MessageAssembler, Piece
from ..parsing import MAIN
from ..protocol import Home, Source
from ..session_files import SessionFileProvider

_NOISE = frozenset({"thinking_level_change", "label", "custom", "leaf"})
_ABOVE = re.compile(r"_([0-9a-zA-Z-]+)\.jsonl$")


class PiParser(MessageAssembler):
    """One session, one conversation."""

    version = 2

    def record(self, line: memoryview, span: Span) -> None:
        """Take one entry."""
        record = as_dict(decode_lenient(line))
        if not record:
            self.drift[UNREADABLE] += 1
            return
        kind = as_str(record.get("type"))
        thread = self._thread(record if kind == "session" else {})
        piece = Piece(record, span, from_iso(record.get("timestamp")))
        if self.is_repeated(line, piece.at, record.get("id"), record.get("message")):
            return
        if kind == "message":
            self._message(thread, piece)
        elif kind in ("compaction", "branch_summary"):
            text = as_str(record.get("summary"))
            meta = {"compact_summary": True}
            self.add(thread, Role.SYSTEM, [Text(text)], piece, meta=meta, **_chain(record))
        elif kind == "custom_message":
            said_parts, _ = blocks.parts(record.get("content"), "pi", self._strange)
            self.add(thread, Role.SYSTEM, said_parts, piece, **_chain(record))
        elif kind == "session_info":
            self.amend(thread, title=as_str(record.get("name")))
        elif kind == "model_change":
            self.end(thread)
        elif kind != "session" and kind not in _NOISE:
            self.append_unknown(
                thread, kind or "(untyped)", line, span, at=piece.at, **_chain(record)
            )

    def _strange(self, kind: str) -> None:
        self.drift[kind] += 1

    def _thread(self, header: dict[str, Any]) -> ConversationBuilder:
        if MAIN not in self.threads:
            native = self.source.native_id or as_str(header.get("id")) or self.source.path.stem
            above = as_str(header.get("parentSession")) or as_str(header.get("branchedFrom"))
            match = _ABOVE.search(above)
            head = self.head(
                native,
                parent=match.group(1) if match else None,
                relation=Relation.FORK,
                workspace=as_str(header.get("cwd")),
                started_at=from_iso(header.get("timestamp")),
            )
            self.threads[MAIN] = ConversationBuilder(head)
        return self.threads[MAIN]

    def _message(self, thread: ConversationBuilder, piece: Piece) -> None:
        message = as_dict(piece.payload.get("message"))
        role, chain = as_str(message.get("role")), _chain(piece.payload)
        message_parts, results = blocks.parts(message.get("content"), "pi", self._strange)
        if role == "assistant":
            self.end(thread)
            model = as_str(message.get("model")) or None
            if message_parts:
                self.append_assistant(thread, message_parts, piece, model=model, **chain)
                self.set_usage(thread, _usage(as_dict(message.get("usage"))))
            if error := as_str(message.get("errorMessage")):
                self.append_error(thread, error, piece)
        elif role == "toolResult":
            answer, blobs = blocks.response(message.get("content"))
            call = as_str(message.get("toolCallId")) or None
            failed = bool(message.get("isError"))
            parts: list[Part] = [ToolCallResponse(call, answer, failed), *blobs]
            if diff := as_str(as_dict(message.get("details")).get("diff")):
                parts.append(Extension("pi.diff", {"diff": diff}))
            self.add(thread, Role.TOOL, parts, piece, **chain)
        elif role == "bashExecution":
            ran = {name: message.get(name) for name in ("command", "output", "exitCode")}
            self.add(thread, Role.SYSTEM, [Extension("pi.bash", ran)], piece, **chain)
        elif message_parts or results:
            spoken = Role.USER if role == "user" else Role.SYSTEM
            self.add(thread, spoken, [*message_parts, *results], piece, **chain)


def _chain(record: dict[str, Any]) -> dict[str, Any]:
    return {
        "native_id": as_str(record.get("id")) or None,
        "parent": as_str(record.get("parentId")) or None,
    }


def _usage(usage: dict[str, Any]) -> Usage | None:
    if not usage:
        return None
    read, written = as_int(usage.get("cacheRead")), as_int(usage.get("cacheWrite"))
    cost = as_dict(usage.get("cost")).get("total")
    return Usage(
        input_tokens=(as_int(usage.get("input")) or 0) + (read or 0) + (written or 0),
        output_tokens=as_int(usage.get("output")),
        cache_read_input_tokens=read,
        cache_creation_input_tokens=written,
        cost=as_float(cost),
    )


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
