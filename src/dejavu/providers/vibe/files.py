"""Mistral Vibe: messages of OpenAI's form, a JSONL file a session, and a description beside it.

Reads `logs/session/*/messages.jsonl` below `${VIBE_HOME:-~/.vibe}`, and the documents of before 1.3.
(Form: `vibe/core/session` of Mistral Vibe.)
"""

from typing import Any

from ..entry_parsers import DocumentEntries, LineEntries
from ..formats.entries import Session, first_str, time_of
from ..formats.json_coerce import as_dict, as_str
from ..parsing import RecordParser
from ..protocol import Kind, Source
from ..store_provider import StoreProvider, document_beside
from . import AGENT


def _session(meta: dict[str, Any]) -> Session:
    folder = as_str(as_dict(meta.get("environment")).get("working_directory"))
    config = as_dict(meta.get("config"))
    return Session(
        as_str(meta.get("title")),
        folder,
        time_of(meta.get("start_time")),
        parent=as_str(meta.get("parent_session_id")),
        model=first_str(config, "active_model", "model"),
    )


class VibeParser(LineEntries):
    """One session, one conversation."""

    repeats = False


class VibeDocumentParser(DocumentEntries):
    """A session of older versions, in one document."""

    def session(self, document: dict[str, Any]) -> Session:
        """What its description says."""
        return _session(as_dict(document.get("metadata")))


class Vibe(StoreProvider):
    """Provider of `${VIBE_HOME:-~/.vibe}/logs/session`."""

    def parser_for(self, source: Source) -> type[RecordParser]:
        """By the form the session has."""
        return VibeDocumentParser if source.kind is Kind.WHOLE else VibeParser

    def facts(self, source: Source, stored: dict[str, Any]) -> dict[str, Any]:
        """What stands in `meta.json`."""
        said = _session(as_dict(document_beside(source.path.with_name("meta.json"))))
        facts = {
            "title": said.title,
            "workspace": said.workspace,
            "began": said.started_at,
            "parent": said.parent,
            "model": said.model,
        }
        return {**stored, **{name: fact for name, fact in facts.items() if fact}}


PROVIDER = Vibe(AGENT)
