"""Continue: a JSON document a session, rewritten whole.

Reads `sessions/*.json` below `${CONTINUE_GLOBAL_DIR:-~/.continue}`. Messages have no times; a session
has the time of its beginning in the list next to it. (Seen of 1.5.47.)

Tested in: tests/providers/test_recordings.py
"""

from typing import Any

from dejavu.model import Part, Reasoning, Role, ToolCall, ToolCallResponse

from ..entry_parsers import DocumentEntries, Entries
from ..formats.entries import Entry, Session, calls_of, entry, first_str, texts, time_of
from ..formats.json_lines import as_dict, as_dicts, as_str
from ..protocol import Source
from ..store_provider import StoreProvider, document_beside
from . import AGENT

_UNTITLED = "Untitled Session"  # used in place of a title


class ContinueParser(DocumentEntries):
    """One session, one conversation."""

    messages = ("history",)

    def session(self, document: dict[str, Any]) -> Session:
        """Title, folder and model."""
        folder, model = (
            as_str(document.get("workspaceDirectory")),
            first_str(document, "chatModelTitle"),
        )
        title = as_str(document.get("title"))
        return Session("" if title == _UNTITLED else title, folder, model=model)

    def entries(self, record: dict[str, Any]) -> Entries:
        """A message, the calls it made, and what came of them."""
        message = as_dict(record.get("message"))
        said = entry(message, self.source.agent, self._strange)
        if said is None:
            return None
        if said.role is Role.TOOL and not record.get("toolCallStates"):
            return [said]
        parts: list[Part] = [part for part in said.parts if not isinstance(part, ToolCall)]
        if thought := first_str(as_dict(record.get("reasoning")), "text"):
            parts.insert(0, Reasoning(thought))
        calls = {call.id: call for call in calls_of(message.get("toolCalls"))}
        results: list[Part] = []
        for state in as_dicts(record.get("toolCallStates")):
            for call in calls_of([state.get("toolCall")]):
                name = first_str(state, "toolCallId") or call.id
                calls[name] = ToolCall(name, call.name, state.get("parsedArgs") or call.arguments)
                output, status = texts(state.get("output")), state.get("status")
                if output or status in ("done", "errored", "canceled"):
                    failed = status in ("errored", "canceled")
                    results.append(ToolCallResponse(name, output, failed))
        told = [said._replace(parts=(*parts, *calls.values()))]
        return [*told, *([Entry(Role.TOOL, (), tuple(results))] if results else [])]


class Continue(StoreProvider):
    """Provider of `${CONTINUE_GLOBAL_DIR:-~/.continue}/sessions`."""

    def facts(self, source: Source, stored: dict[str, Any]) -> dict[str, Any]:
        """When it began, of the list."""
        for one in as_dicts(document_beside(source.path.with_name("sessions.json"))):
            if one.get("sessionId") == source.native_id:
                began = time_of(one.get("dateCreated"))
                return {
                    **stored,
                    "began": began,
                    "workspace": as_str(one.get("workspaceDirectory")),
                }
        return stored


PROVIDER = Continue(AGENT)
