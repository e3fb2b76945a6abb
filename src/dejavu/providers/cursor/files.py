"""Cursor's command line agent: one JSONL transcript a session.

Reads `projects/*/agent-transcripts/**/*.jsonl` below `${CURSOR_DATA_DIR:-~/.cursor}`: sessions and
sub-agents. The lines have no times and no ids; the folder is known from the project's lossy name
alone, so it is given where a folder of that name exists.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from dejavu.model import Extension, Part, Role, Text

from ..entry_parsers import Entries, LineEntries
from ..find_paths import glob_below
from ..formats.entries import entry
from ..formats.json_lines import as_dict, as_str
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


class CursorParser(LineEntries):
    """One transcript, one conversation; the lines of an answer are one turn."""

    version = 3
    repeats = False

    def memory(self) -> dict[str, Any]:
        """Also: whether the agent ended its turn."""
        return {**super().memory(), "ended": self._ended}

    def remember(self, memory: dict[str, Any]) -> None:
        """The inverse."""
        super().remember(memory)
        self._ended = bool(memory.get("ended"))

    def entries(self, record: dict[str, Any]) -> Entries:
        """One line: a message, or the end of a turn."""
        message = as_dict(record.get("message"))
        role = as_str(record.get("role")) or as_str(message.get("role"))
        if not role and record.get("type") == "turn_ended":
            self._ended = True
            return []
        content = message.get("content", record.get("content"))
        flat = {"role": role, "content": content, "timestamp": record.get("timestamp")}
        one = entry(flat, "cursor", self._strange)
        if one is None:
            return None
        if one.role is Role.ASSISTANT:
            appended, self._ended = not self._ended, False
            return [one._replace(appended=appended)]
        if one.role is Role.TOOL:
            return [one]
        parts = tuple(typed for part in one.parts for typed in _typed(part))
        typed = any(not isinstance(part, Extension) for part in parts)
        return [one._replace(role=one.role if typed else Role.SYSTEM, parts=parts)]


def _typed(part: Part) -> Iterator[Part]:
    """A prompt without its envelope; what the harness put around it as an extension."""
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
        """The session above a sub-agent's; the folder, looked for here unless it was known before."""
        above = (source.native_id or "").rpartition("/")[0]
        return {"parent": above, **_facts(source.path), **stored}


PROVIDER = CursorAgent()
