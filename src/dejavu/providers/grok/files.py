"""Grok Build: the updates of the Agent Client Protocol, a JSONL file a session; or the chat's history.

Reads `sessions/*/*/updates.jsonl` below `${GROK_HOME:-~/.grok}`, and `chat_history.jsonl` of a session that
has no updates (see `history`). Title, folder and the session that called this one are in `summary.json` next
to it. (Seen of 1.0.41.)

Tested in: tests/providers/test_recordings.py
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from dejavu.model import Extension, Relation, Role, Text, Usage

from ..entry_parsers import Entries, LineEntries
from ..formats.acp import update_entries
from ..formats.entries import Entry, first, first_str, time_of
from ..formats.json_lines import as_dict, as_int, as_str
from ..parsing import RecordParser
from ..protocol import Home, Source
from ..store_provider import StoreProvider, document_beside
from . import AGENT
from .history import HistoryParser

_UPDATES = "updates.jsonl"


class GrokParser(LineEntries):
    """One session, one conversation."""

    repeats = False

    def memory(self) -> dict[str, Any]:
        """Which prompt or answer the last piece belongs to."""
        return {**super().memory(), "piece": self._piece}

    def remember(self, memory: dict[str, Any]) -> None:
        """The inverse."""
        super().remember(memory)
        self._piece = as_str(memory.get("piece"))

    def kind_of(self, record: dict[str, Any]) -> str:
        """The update's kind."""
        return as_str(as_dict(as_dict(record.get("params")).get("update")).get("sessionUpdate"))

    def entries(self, record: dict[str, Any]) -> Entries:
        """One update; a piece of another prompt or answer begins a turn."""
        parameters = as_dict(record.get("params")) or record
        update = as_dict(parameters.get("update"))
        meta = {**as_dict(parameters.get("_meta")), **as_dict(update.get("_meta"))}
        at = time_of(record.get("timestamp")) or time_of(meta.get("agentTimestampMs"))
        said = _own_entries(update, at)
        if said is None:
            said = update_entries(update, self.source.agent, self._strange, at)
        mark = first(meta, ("promptId", "promptIndex"))
        piece = f"{update.get('sessionUpdate') == 'user_message_chunk'} {mark}"
        if said and piece != self._piece and as_str(update.get("sessionUpdate")).endswith("chunk"):
            self._piece = piece
            said = [said[0]._replace(joined=False), *said[1:]]
        return said


def _own_entries(update: dict[str, Any], at: float | None) -> list[Entry] | None:
    """Of a kind that Grok adds to the protocol's: tokens of a turn, and requests that failed."""
    kind = as_str(update.get("sessionUpdate"))
    if kind == "turn_completed":
        usage = as_dict(update.get("usage"))
        model = next(iter(as_dict(usage.get("modelUsage"))), None)
        counts = Usage(
            input_tokens=as_int(usage.get("inputTokens")),
            output_tokens=as_int(usage.get("outputTokens")),
            cache_read_input_tokens=as_int(usage.get("cachedReadTokens")),
            cache_creation_input_tokens=as_int(usage.get("cacheCreationTokens")),
        )
        return [Entry(Role.ASSISTANT, (), (), at, model=model, usage=counts)] if usage else []
    if kind == "retry_state":
        if not (reason := as_str(update.get("reason"))):
            return []
        data = {"message": reason, "attempt": update.get("attempt")}
        return [Entry(Role.SYSTEM, (Text(reason), Extension("grok.error", data)), (), at)]
    return None


class GrokBuild(StoreProvider):
    """Provider of `${GROK_HOME:-~/.grok}/sessions`."""

    def paths(self, home: Home) -> Iterator[Path]:
        """A file a session: its updates, or its history where there are none."""
        for path in super().paths(home):
            if path.name == _UPDATES or not path.with_name(_UPDATES).exists():
                yield path

    def parser_for(self, source: Source) -> type[RecordParser]:
        """By the file."""
        return GrokParser if source.path.name == _UPDATES else HistoryParser

    def facts(self, source: Source, stored: dict[str, Any]) -> dict[str, Any]:
        """Title, folder, and whose sub-agent or fork it is."""
        summary = as_dict(document_beside(source.path.with_name("summary.json")))
        info = as_dict(summary.get("info"))
        folder = as_str(info.get("cwd")) or unquote(source.path.parent.parent.name)
        facts: dict[str, Any] = {
            "title": first_str(summary, "generated_title", "session_summary"),
            "workspace": folder,
            "began": time_of(summary.get("created_at")),
            "parent": as_str(summary.get("parent_session_id")),
            "fork": as_str(summary.get("session_kind")).endswith("fork") and str(Relation.FORK),
        }
        return {**stored, **{name: fact for name, fact in facts.items() if fact}}


PROVIDER = GrokBuild(AGENT)
