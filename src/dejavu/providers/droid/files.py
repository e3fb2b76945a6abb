"""Droid (Factory): one JSONL file a session.

Reads `.factory/sessions/**/*.jsonl` below `${FACTORY_HOME_OVERRIDE:-~}`, one source a session. The
first line describes the session; messages hold Anthropic's content blocks. The model stands in
`<id>.settings.json`.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from dejavu.model import Part, Relation, Role, Span, Text, from_iso

from ..find_paths import glob_below
from ..conversation_builder import ConversationBuilder
from ..follow.append import read_plain
from ..formats import content_blocks as blocks
from ..formats.json_coerce import as_dict, as_str
from ..formats.json_lines import UNREADABLE, decode_lenient
from ..message_assembler import MessageAssembler, Piece
from ..parsing import MAIN
from ..protocol import Home, Source
from ..session_files import SessionFileProvider

_NOISE = frozenset({"session_start", "session_end", "todo_state"})


class DroidParser(MessageAssembler):
    """One session, one conversation."""

    version = 2

    def record(self, line: memoryview, span: Span) -> None:
        """Take one line."""
        record = as_dict(decode_lenient(line))
        if not record:
            self.drift[UNREADABLE] += 1
            return
        kind = as_str(record.get("type"))
        thread = self._thread(record if kind == "session_start" else {})
        piece = Piece(record, span, from_iso(record.get("timestamp")))
        if self.is_repeated(line, piece.at, record.get("id"), record.get("message")):
            return
        if kind == "message":
            self._message(thread, piece)
        elif kind == "compaction_state":
            text = as_str(record.get("summaryText")) or as_str(record.get("summary"))
            parts: list[Part] = (
                [Text(text)] if text else [self.extension(kind, record, span.length)]
            )
            self.add(thread, Role.SYSTEM, parts, piece, meta={"compact_summary": True})
        elif kind not in _NOISE:
            self.append_unknown(thread, kind or "(untyped)", line, span, at=piece.at)

    def _thread(self, header: dict[str, Any]) -> ConversationBuilder:
        if MAIN not in self.threads:
            native = self.source.native_id or as_str(header.get("id")) or self.source.path.stem
            caller = as_str(header.get("callingSessionId"))
            above = (
                caller or as_str(header.get("parentSessionId")) or as_str(header.get("forkedFrom"))
            )
            relation = Relation.SUBAGENT if caller else Relation.FORK
            self.threads[MAIN] = ConversationBuilder(
                self.head(native, parent=above or None, relation=relation)
            )
        thread = self.threads[MAIN]
        title = as_str(header.get("sessionTitle")) or as_str(header.get("title"))
        self.amend(thread, title=title, workspace=as_str(header.get("cwd")))
        return thread

    def _message(self, thread: ConversationBuilder, piece: Piece) -> None:
        message = as_dict(piece.payload.get("message"))
        message_parts, results = blocks.parts(message.get("content"), "droid", self._strange)
        chain: dict[str, Any] = {
            "native_id": as_str(piece.payload.get("id")) or None,
            "parent": as_str(piece.payload.get("parentId")) or None,
        }
        if results:
            self.add(thread, Role.TOOL, results, piece, **chain)
        if not message_parts:
            return
        if message.get("role") == "assistant":
            self.end(thread)
            model = as_str(message.get("model")) or as_str(self.facts.get("model")) or None
            self.append_assistant(thread, message_parts, piece, model=model, **chain)
            return
        injected = [
            part for part in message_parts if isinstance(part, Text) and _injected(part.content)
        ]
        typed = [part for part in message_parts if part not in injected]
        if injected:
            self.add(thread, Role.SYSTEM, [*injected], piece, **chain)
        if typed:
            role = Role.USER if message.get("role") == "user" else Role.SYSTEM
            self.add(thread, role, typed, piece, **chain)

    def _strange(self, kind: str) -> None:
        self.drift[kind] += 1


def _injected(words: str) -> bool:
    """Whether the harness wrote a block of a prompt."""
    return words.lstrip().startswith(("<system-reminder>", "<system-notification>"))


class Droid(SessionFileProvider):
    """Provider of `${FACTORY_HOME_OVERRIDE:-~}/.factory/sessions`."""

    agent = "droid"
    parser_class = DroidParser

    def roots(self, home: Home) -> tuple[Path, ...]:
        """The folder of sessions."""
        return (home.relocated("FACTORY_HOME_OVERRIDE", ".factory", "sessions"),)

    def discover(self, home: Home) -> Iterator[Source]:
        """A source for each session."""
        (root,) = self.roots(home)
        for path in sorted(glob_below(root, "**/*.jsonl")):
            yield self.source(home, path, path.stem)

    def facts(self, source: Source, stored: dict[str, Any]) -> dict[str, Any]:
        """The model is the one the settings name now."""
        try:
            settings = as_dict(
                decode_lenient(read_plain(source.path.with_suffix(".settings.json")))
            )
        except OSError:
            return stored
        return {**stored, "model": as_str(settings.get("model"))}


PROVIDER = Droid()
