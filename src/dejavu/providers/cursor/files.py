"""Cursor's command line agent: one JSONL transcript a session.

Reads `projects/*/agent-transcripts/**/*.jsonl` below `${CURSOR_DATA_DIR:-~/.cursor}`: sessions and
sub-agents. The lines have no times and no ids; the folder stands only in the project's lossy name,
so it is given where a folder of that name exists.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from dejavu.model import Extension, Part, Relation, Role, Span, Text, from_iso

from ..find_paths import glob_below
from ..conversation_builder import ConversationBuilder
from ..formats import content_blocks as blocks
from ..formats.json_coerce import as_dict, as_str
from ..formats.json_lines import UNREADABLE, decode_lenient
from ..message_assembler import MessageAssembler, Piece
from ..parsing import MAIN
from ..protocol import Home, Source
from ..session_files import SessionFileProvider

_QUERY = re.compile(r"<user_query>\n?(.*?)\n?</user_query>", re.DOTALL)


def _facts(path: Path) -> dict[str, Any]:
    """The project's folder, if its name leads to one, and when the file was made at the latest."""
    folder = next((parent for parent in path.parents if parent.name == "agent-transcripts"), None)
    try:
        facts: dict[str, Any] = {"began": path.stat().st_mtime}
    except OSError:
        facts = {}
    if folder is not None:
        path_ = Path("/")
        for word in folder.parent.name.split("-"):
            deeper = path_ / word
            joined = path_.with_name(f"{path_.name}-{word}") if path_.name else deeper
            path_ = deeper if deeper.is_dir() or not joined.is_dir() else joined
        if path_.is_dir() and path_ != Path("/"):
            facts["workspace"] = str(path_)
    return facts


class CursorParser(MessageAssembler):
    """One transcript, one conversation."""

    def record(self, line: memoryview, span: Span) -> None:
        """Take one line."""
        record = as_dict(decode_lenient(line))
        if not record:
            self.drift[UNREADABLE] += 1
            return
        thread = self._thread()
        piece = Piece(record, span, from_iso(record.get("timestamp")))
        message = as_dict(record.get("message"))
        role = as_str(record.get("role")) or as_str(message.get("role"))
        content = message.get("content", record.get("content"))
        message_parts, results = blocks.parts(content, "cursor", self._strange)
        if results or role == "tool":
            self.add(thread, Role.TOOL, results or message_parts, piece)
        if role == "assistant":
            if message_parts:
                self.append_assistant(thread, message_parts, piece)
        elif role == "user":
            parts = [typed_part for part in message_parts for typed_part in _typed(part)]
            if parts:
                typed = any(not isinstance(part, Extension) for part in parts)
                self.add(thread, Role.USER if typed else Role.SYSTEM, parts, piece)
        elif record.get("type") == "turn_ended":
            self.end(thread)
        elif role != "tool":
            self.append_unknown(
                thread, as_str(record.get("type")) or role or "(untyped)", line, span
            )

    def _thread(self) -> ConversationBuilder:
        if MAIN not in self.threads:
            native = self.source.native_id or self.source.path.stem
            above = native.rpartition("/")[0]
            head = self.head(
                native,
                parent=above or None,
                relation=Relation.SUBAGENT,
                workspace=as_str(self.facts.get("workspace")),
                started_at=from_iso(self.facts.get("began")),
            )
            self.threads[MAIN] = ConversationBuilder(head)
        return self.threads[MAIN]

    def _strange(self, kind: str) -> None:
        self.drift[kind] += 1


def _typed(part: Part) -> Iterator[Part]:
    """A prompt without its envelope, and apart from it what the harness put around it."""
    if not isinstance(part, Text) or (match := _QUERY.search(part.content)) is None:
        yield part
        return
    yield Text(match.group(1))
    if around := _QUERY.sub("", part.content).strip():
        yield Extension("cursor.context", {"content": around})


class CursorAgent(SessionFileProvider):
    """Provider of `${CURSOR_DATA_DIR:-~/.cursor}/projects/*/agent-transcripts`."""

    agent = "cursor"
    parser_class = CursorParser

    def roots(self, home: Home) -> tuple[Path, ...]:
        """Cursor's folder."""
        return (home.folder("CURSOR_DATA_DIR", ".cursor"),)

    def discover(self, home: Home) -> Iterator[Source]:
        """A source for each transcript."""
        (root,) = self.roots(home)
        for path in sorted(glob_below(root, "projects/*/agent-transcripts/**/*.jsonl")):
            inside = path.parent.name == "subagents"
            native = f"{path.parents[1].name}/{path.stem}" if inside else path.stem
            yield self.source(home, path, native)

    def facts(self, source: Source, stored: dict[str, Any]) -> dict[str, Any]:
        """The folder is looked for on this machine, unless it was known before."""
        return {**_facts(source.path), **stored}


PROVIDER = CursorAgent()
