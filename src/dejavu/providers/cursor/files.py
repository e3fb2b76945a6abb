"""Cursor's command line agent: one JSONL transcript a session.

Takes `projects/*/agent-transcripts/**/*.jsonl` below `${CURSOR_DATA_DIR:-~/.cursor}`; gives
sessions and sub-agents. The lines have no times and no ids; the folder stands only in the project's
lossy name, so it is given where a folder of that name exists.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from dejavu.model import Extension, Part, Relation, Role, Span, Text, from_iso

from ..follow.append import follow_append
from ..formats import content_blocks as blocks
from ..formats.json_coerce import mapping, text
from ..formats.json_lines import UNREADABLE, plain
from ..message_assembler import AnswerParser, Piece
from ..parsing import MAIN, facts_of, resumed
from ..protocol import Cursor, Home, Kind, RawDelta, Source
from ..thread import Thread

_QUERY = re.compile(r"<user_query>\n?(.*?)\n?</user_query>", re.DOTALL)


class CursorAgent:
    """Provider of `${CURSOR_DATA_DIR:-~/.cursor}/projects/*/agent-transcripts`."""

    agent = "cursor"

    def discover(self, home: Home) -> Iterator[Source]:
        """A source for each transcript."""
        root = home.folder("CURSOR_DATA_DIR", ".cursor") / "projects"
        for path in sorted(root.glob("*/agent-transcripts/**/*.jsonl")):
            inside = path.parent.name == "subagents"
            native = f"{path.parents[1].name}/{path.stem}" if inside else path.stem
            yield Source(self.agent, path, home.instance, Kind.APPEND, native, home.workspace)

    def follow(self, source: Source, since: Cursor | None = None) -> Iterator[RawDelta]:
        """Lines appended."""
        return follow_append(source.path, since)

    def parser(
        self, source: Source, state: bytes | None = None, *, restart: bool = False
    ) -> "CursorParser":
        """A parser; the folder is looked for on this machine."""
        facts = {} if state is None else facts_of(state)
        return resumed(
            CursorParser(source, {**_facts(source.path), **facts}), state, restart=restart
        )


def _facts(path: Path) -> dict[str, Any]:
    """The project's folder, if its name leads to one, and when the file was made at the latest."""
    folder = next((one for one in path.parents if one.name == "agent-transcripts"), None)
    try:
        facts: dict[str, Any] = {"began": path.stat().st_mtime}
    except OSError:
        facts = {}
    if folder is not None:
        place = Path("/")
        for word in folder.parent.name.split("-"):
            deeper = place / word
            joined = place.with_name(f"{place.name}-{word}") if place.name else deeper
            place = deeper if deeper.is_dir() or not joined.is_dir() else joined
        if place.is_dir() and place != Path("/"):
            facts["workspace"] = str(place)
    return facts


class CursorParser(AnswerParser):
    """One transcript, one conversation."""

    def record(self, line: memoryview, span: Span) -> None:
        """Take one line."""
        record = mapping(plain(line))
        if not record:
            self.drift[UNREADABLE] += 1
            return
        thread = self._thread()
        piece = Piece(record, span, from_iso(record.get("timestamp")))
        message = mapping(record.get("message"))
        role = text(record.get("role")) or text(message.get("role"))
        content = message.get("content", record.get("content"))
        said, results = blocks.parts(content, "cursor", self._strange)
        if results or role == "tool":
            self.add(thread, Role.TOOL, results or said, piece)
        if role == "assistant":
            if said:
                self.say(thread, said, piece)
        elif role == "user":
            parts = [one for part in said for one in _typed(part)]
            if parts:
                typed = any(not isinstance(part, Extension) for part in parts)
                self.add(thread, Role.USER if typed else Role.SYSTEM, parts, piece)
        elif record.get("type") == "turn_ended":
            self.end(thread)
        elif role != "tool":
            self.keep(thread, text(record.get("type")) or role or "(untyped)", line, span)

    def _thread(self) -> Thread:
        if MAIN not in self.threads:
            native = self.source.native_id or self.source.path.stem
            above = native.rpartition("/")[0]
            head = self.head(
                native,
                parent=above or None,
                relation=Relation.SUBAGENT,
                workspace=text(self.facts.get("workspace")),
                started_at=from_iso(self.facts.get("began")),
            )
            self.threads[MAIN] = Thread(head)
        return self.threads[MAIN]

    def _strange(self, kind: str) -> None:
        self.drift[kind] += 1


def _typed(part: Part) -> Iterator[Part]:
    """A prompt without its envelope, and apart from it what the harness put around it."""
    if not isinstance(part, Text) or (found := _QUERY.search(part.content)) is None:
        yield part
        return
    yield Text(found.group(1))
    if around := _QUERY.sub("", part.content).strip():
        yield Extension("cursor.context", {"content": around})


PROVIDER = CursorAgent()
