"""Nanocoder: one JSON document a session, rewritten whole.

Reads `sessions/*.json` below `${NANOCODER_DATA_DIR:-~/.local/share/nanocoder}`, one source a
session. Messages are those of the model's API, without times; a session has the time it was last
saved.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from dejavu.model import Part, ToolCall, ToolCallResponse

from ..entry_parsers import DocumentEntries, Entries
from ..formats.entries import Session, time_of
from ..formats.json_lines import as_str
from ..protocol import Home, Kind, Source
from ..session_files import SessionFileProvider

_FAILED = "Error: "  # how the content of a call that failed begins
_LIST = "sessions.json"  # titles of all sessions, which each session's own document repeats


class NanocoderParser(DocumentEntries):
    """One document, one conversation."""

    version = 2

    def session(self, document: dict[str, Any]) -> Session:
        """Title, folder, time and model."""
        return Session(
            as_str(document.get("title")),
            as_str(document.get("workingDirectory")),
            time_of(document.get("createdAt")),
            model=as_str(document.get("model")),
        )

    def entries(self, record: dict[str, Any]) -> Entries:
        """One message; whether a call failed shows in its text alone."""
        return [
            one._replace(
                parts=tuple(map(_named, one.parts)), results=tuple(map(_failed, one.results))
            )
            for one in self.message(record)
        ]


def _named(part: Part) -> Part:
    return replace(part, name="tool") if isinstance(part, ToolCall) and not part.name else part


def _failed(part: Part) -> Part:
    if isinstance(part, ToolCallResponse) and str(part.response).startswith(_FAILED):
        return replace(part, is_error=True)
    return part


class Nanocoder(SessionFileProvider):
    """Provider of `${NANOCODER_DATA_DIR:-~/.local/share/nanocoder}/sessions`."""

    agent = "nanocoder"
    parser_class = NanocoderParser

    def roots(self, home: Home) -> tuple[Path, ...]:
        """Its data folder, and the one that is named in its place."""
        folder = home.xdg_data("nanocoder")
        if home.environ.get("NANOCODER_DATA_DIR"):
            return folder, home.folder("NANOCODER_DATA_DIR")
        return (folder,)

    def discover(self, home: Home) -> Iterator[Source]:
        """A source for each session."""
        root = self.roots(home)[-1]
        for path in sorted((root / "sessions").glob("*.json")):
            if path.name != _LIST:
                yield self.source(home, path, path.stem, Kind.WHOLE)


PROVIDER = Nanocoder()
