"""Cortex Code: a JSON document a conversation; newer ones have their messages in a file next to it.

Reads `conversations/*.json` and `*.history.jsonl` below `~/.snowflake/cortex`. (Form: Snowflake's
guide to session replays, and observed by others.)

Tested in: tests/providers/test_recordings.py
"""

from typing import Any

from ..entry_parsers import DocumentEntries, LineEntries
from ..formats.entries import Session, first_str, time_of
from ..formats.json_lines import as_dict
from ..parsing import RecordParser
from ..protocol import Kind, Source
from ..store_provider import StoreProvider, document_beside
from . import AGENT


def _session(document: dict[str, Any]) -> Session:
    began = time_of(document.get("created_at") or document.get("createdAt"))
    folder = first_str(document, "working_directory", "cwd", "workingDirectory")
    return Session(
        first_str(document, "title", "name"), folder, began, model=first_str(document, "model")
    )


class CortexParser(DocumentEntries):
    """One conversation in one document."""

    messages = ("history", "messages")

    def session(self, document: dict[str, Any]) -> Session:
        """Title, folder, model and beginning."""
        return _session(document)


class Cortex(StoreProvider):
    """Provider of `~/.snowflake/cortex/conversations`."""

    def parser_for(self, source: Source) -> type[RecordParser]:
        """By the form the conversation has."""
        return LineEntries if source.kind is Kind.APPEND else CortexParser

    def facts(self, source: Source, stored: dict[str, Any]) -> dict[str, Any]:
        """What the document next to a history says."""
        if source.kind is not Kind.APPEND:
            return stored
        path = source.path.with_name(source.path.name.partition(".")[0] + ".json")
        said = _session(as_dict(document_beside(path)))
        facts = {"title": said.title, "workspace": said.workspace, "began": said.started_at}
        return {**stored, **{name: fact for name, fact in facts.items() if fact}}


PROVIDER = Cortex(AGENT)
