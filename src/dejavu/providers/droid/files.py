"""Droid (Factory): one JSONL file a session.

Reads `.factory/sessions/**/*.jsonl` below `${FACTORY_HOME_OVERRIDE:-~}`, one source a session. The
first line describes the session; messages hold Anthropic's content blocks. The model is in
`<id>.settings.json`.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from dejavu.model import Extension, Part, Relation, Role, Text
from dejavu.model.compaction import compacted

from ..entry_parsers import Entries, LineEntries
from ..find_paths import glob_below
from ..follow.append import read_plain
from ..formats.entries import Entry, Session, first_str, time_of
from ..formats.json_lines import as_dict, as_str, decode_lenient
from ..protocol import Home, Source
from ..session_files import SessionFileProvider

_SILENT = frozenset({"session_end", "todo_state"})


class DroidParser(LineEntries):
    """One session, one conversation."""

    version = 3

    def identity(self, record: dict[str, Any]) -> tuple[Any, Any, Any]:
        """By the message, whatever else of its line differs."""
        return record.get("timestamp"), record.get("id"), record.get("message")

    def entries(self, record: dict[str, Any]) -> Entries:
        """One line: the session's description, a message, or a summary."""
        kind = as_str(record.get("type"))
        if kind == "session_start":
            caller = as_str(record.get("callingSessionId"))
            return [
                Session(
                    first_str(record, "sessionTitle", "title"),
                    as_str(record.get("cwd")),
                    parent=caller or first_str(record, "parentSessionId", "forkedFrom"),
                    relation=Relation.SUBAGENT if caller else Relation.FORK,
                )
            ]
        if kind == "message":
            own = {name: record.get(name) for name in ("id", "parentId", "timestamp")}
            said = self.message({**as_dict(record.get("message")), **own})
            return [turn for one in said for turn in _apart(one)]
        if kind == "compaction_state":
            text = first_str(record, "summaryText", "summary")
            part: Part = Text(text) if text else Extension(f"droid.{kind}", record)
            at, meta = time_of(record.get("timestamp")), compacted()
            return [Entry(Role.SYSTEM, (part,), at=at, meta=meta)]
        return [] if kind in _SILENT else None


def _apart(one: Entry) -> list[Entry]:
    """A message; apart from a prompt what the harness put before it."""
    if one.role is Role.ASSISTANT:
        return [one]
    injected = tuple(p for p in one.parts if isinstance(p, Text) and _injected(p.content))
    typed = tuple(part for part in one.parts if part not in injected)
    return [
        one._replace(role=Role.SYSTEM, parts=injected),
        one._replace(parts=typed, results=()),
    ]


def _injected(words: str) -> bool:
    """Whether the harness wrote this block of a prompt."""
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
