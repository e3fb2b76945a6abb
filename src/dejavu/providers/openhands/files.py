"""OpenHands: a document an event, numbered, in a folder a conversation.

Reads `conversations/*/events/*.json` below `~/.openhands`, and `sessions/*/events` of older
versions. A source is a folder; its raw stream has each event's document as one line. Events are
never changed, so only new files are read. (Form: `openhands.sdk.event`, and `openhands.events` of 0.x.)

Tested in: tests/providers/test_recordings.py
"""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec

from dejavu.model import Part, Reasoning, Role, Text, ToolCall, ToolCallResponse
from dejavu.model.compaction import compacted

from ..entry_parsers import Entries, LineEntries
from ..follow.append import read_plain
from ..follow.stamp import modified_at, stamp_of
from ..formats import content_blocks as blocks
from ..formats.entries import Entry, entry, error_entry, first, first_str, texts, time_of
from ..formats.json_lines import as_dict, as_dicts, as_str, decode_lenient
from ..protocol import Cursor, Home, Kind, RawDelta, Source
from ..session_files import SessionFileProvider
from ..store_provider import document_beside

_SILENT = frozenset({
    "ConversationStateUpdateEvent", "PauseEvent", "TokenEvent", "CondensationRequest", "LLMCompletionLogEvent",
    "agent_state_changed", "change_agent_state", "recall", "null", "system",
})  # fmt: skip
_BATCH = 1 << 20


class _Mark(msgspec.Struct, array_like=True, frozen=True):
    """The cursor: the last event's name, how many there were, the offset, the folder's time."""

    last: str = ""
    count: int = 0
    offset: int = 0
    changed: int = 0


class OpenHandsParser(LineEntries):
    """One conversation."""

    repeats = False

    def entries(self, record: dict[str, Any]) -> Entries:
        """One event, of today's or of the older form."""
        at, native = time_of(record.get("timestamp")), record.get("id")
        name = str(native) if isinstance(native, str | int) else None
        kind = as_str(record.get("kind"))
        if not kind and ("action" in record or "observation" in record):
            return self._older(record, at, name)
        if kind == "MessageEvent":
            said = entry(as_dict(record.get("llm_message")), self.source.agent, self._strange)
            return None if said is None else [said._replace(at=at, native_id=name)]
        if kind == "SystemPromptEvent":
            words = texts(record.get("system_prompt"))
            return [Entry(Role.SYSTEM, (Text(words),) if words else (), (), at, name)]
        if kind == "ActionEvent":
            return [Entry(Role.ASSISTANT, tuple(self._action(record)), (), at, name)]
        if kind in ("ObservationEvent", "UserRejectObservation"):
            return [Entry(Role.TOOL, (), tuple(_result(record)), at, name)]
        if kind == "AgentErrorEvent":
            return [error_entry("openhands", as_str(record.get("error")), at)]
        if kind in ("CondensationSummaryEvent", "Condensation"):
            words = as_str(record.get("summary"))
            return [
                Entry(Role.SYSTEM, (Text(words),) if words else (), (), at, name, meta=compacted())
            ]
        return [] if kind in _SILENT else None

    def _action(self, record: dict[str, Any]) -> Iterator[Part]:
        thought = first_str(record, "reasoning_content")
        thought = thought or "\n".join(
            first_str(one, "thinking") for one in as_dicts(record.get("thinking_blocks"))
        )
        if thought.strip():
            yield Reasoning(thought)
        if words := texts(record.get("thought")):
            yield Text(words)
        call = as_dict(record.get("tool_call"))
        function = as_dict(call.get("function")) or call
        given = blocks.arguments(function.get("arguments"))
        action = {k: v for k, v in as_dict(record.get("action")).items() if k != "kind"}
        name = first_str(record, "tool_name") or first_str(function, "name")
        yield ToolCall(
            first_str(record, "tool_call_id") or None, name, action if given is None else given
        )

    def _older(self, record: dict[str, Any], at: float | None, name: str | None) -> Entries:
        """An event of 0.x: an action with arguments, or an observation that says its cause."""
        kind = as_str(record.get("action")) or as_str(record.get("observation"))
        arguments = as_dict(record.get("args"))
        user = record.get("source") == "user"
        if "observation" in record:
            cause = record.get("cause")
            failed = kind == "error"
            result = ToolCallResponse(
                None if cause is None else str(cause), record.get("content"), failed
            )
            return [] if kind in _SILENT else [Entry(Role.TOOL, (), (result,), at, name)]
        if kind in _SILENT:
            return []
        words = first_str(arguments, "content", "thought", "final_thought")
        parts: list[Part] = [Text(words)] if words else []
        if kind not in ("message", "finish", "think", "reject"):
            given = {k: v for k, v in arguments.items() if k != "thought"}
            parts.append(ToolCall(name, kind, given))
        return [Entry(Role.USER if user else Role.ASSISTANT, tuple(parts), (), at, name)]


def _result(record: dict[str, Any]) -> Iterator[Part]:
    seen = as_dict(record.get("observation"))
    content = first(seen, ("content", "output", "result", "message", "error"))
    if content is None:
        content = record.get("rejection_reason") or {k: v for k, v in seen.items() if k != "kind"}
    shown, blobs = blocks.response(content)
    failed = bool(first(seen, ("is_error", "error"))) or "rejection_reason" in record
    yield ToolCallResponse(first_str(record, "tool_call_id") or None, shown, failed)
    yield from blobs


class OpenHands(SessionFileProvider):
    """Provider of `~/.openhands`."""

    agent = "openhands"
    parser_class = OpenHandsParser

    def roots(self, home: Home) -> tuple[Path, ...]:
        """The folders of conversations, of today and of older versions."""
        base = home.folder(None, ".openhands")
        own = home.folder("OPENHANDS_CONVERSATIONS_DIR", ".openhands", "conversations")
        return own, base / "sessions"

    def discover(self, home: Home) -> Iterator[Source]:
        """A source for each folder that has events."""
        for root in self.roots(home):
            for events in sorted(root.glob("*/events")):
                folder = events.parent
                source = self.source(home, folder, folder.name, Kind.DATABASE)
                yield replace(source, extra_paths=(events,))

    def follow(self, source: Source, since: Cursor | None = None) -> Iterator[RawDelta]:
        """The documents of events that are new."""
        mark = _Mark() if since is None else msgspec.msgpack.decode(since, type=_Mark)
        folder = source.path / "events"
        changed = modified_at(stamp_of(folder.stat()))
        if changed == mark.changed:
            return
        names = sorted(
            name for name in (path.name for path in folder.iterdir()) if name.endswith(".json")
        )
        names.sort(
            key=lambda name: (len(name) if name.removesuffix(".json").isdecimal() else 0, name)
        )
        known = names.index(mark.last) + 1 if mark.last in names else 0
        reset = known == 0 and mark.offset > 0 and mark.last not in names
        offset, data, last = 0 if reset else mark.offset, b"", mark.last
        for name in names[known:]:
            document = decode_lenient(read_plain(folder / name))
            if document is None:
                break  # it is being written
            data, last = data + msgspec.json.encode(document) + b"\n", name
            if len(data) >= _BATCH:
                cursor = msgspec.msgpack.encode(_Mark(last, 0, offset + len(data), 0))
                yield RawDelta(offset, data, cursor, reset)
                offset, data, reset = offset + len(data), b"", False
        whole = last == (names[-1] if names else "")
        final = _Mark(last, len(names), offset + len(data), changed if whole else 0)
        yield RawDelta(offset, data, msgspec.msgpack.encode(final), reset and bool(data))

    def facts(self, source: Source, stored: dict[str, Any]) -> dict[str, Any]:
        """The folder that it works in and its model, of `base_state.json`."""
        state = as_dict(document_beside(source.path / "base_state.json"))
        workspace = as_dict(state.get("workspace"))
        model = as_str(as_dict(as_dict(state.get("agent")).get("llm")).get("model"))
        facts = {"workspace": as_str(workspace.get("working_dir")), "model": model}
        return {**stored, **{name: fact for name, fact in facts.items() if fact}}


PROVIDER = OpenHands()
