"""Copilot Chat: a document a chat session, or the log of what changed in one.

Reads `chatSessions` in VS Code's workspaces and its empty windows, and of a `state.vscdb` that is
handed over the sessions of before they had files. A log has a record for the whole
session (`kind` 0), for a value that was set (1), for items added to a list (2) and for what was
deleted (3); it is compacted in place, so a file is always read whole. (Form: `chatModel.ts` and
`chatSessionStore.ts` of VS Code.)

Tested in: tests/providers/test_recordings.py
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlparse

from dejavu.model import (
    Extension,
    Part,
    Reasoning,
    Role,
    Text,
    ToolCall,
    ToolCallResponse,
    UnreadableSessionError,
)

from ..entry_parsers import DocumentEntries, Entries
from ..follow.opaque import follow_opaque
from ..follow.records import follow_records
from ..follow.stamp import database_stamp
from ..formats import content_blocks as blocks
from ..formats.entries import (
    Entry,
    Session,
    calls_of,
    error_entry,
    first_str,
    texts,
    time_of,
    usage_of,
)
from ..formats.json_lines import as_dict, as_dicts, as_int, as_list, as_str, decode_lenient, lines
from ..protocol import Cursor, Kind, RawDelta, Source
from ..store_provider import StoreProvider, document_beside
from . import AGENT
from .state_database import stored_sessions

_CHROME = frozenset({
    "progressMessage", "progressTask", "progressTaskSerialized", "warning", "info", "systemNotification",
    "mcpServersStarting", "prepareToolInvocation", "codeblockUri", "undoStop", "references", "command",
    "confirmation", "elicitation", "elicitationSerialized", "extensions", "multiDiffData", "pullRequest",
    "usedContext", "codeCitation", "treeData", "move", "agentDetection", "externalEdit",
})  # fmt: skip
_DEEPEST = 64


class ChatSessionParser(DocumentEntries):
    """One chat session, one conversation."""

    messages = ("requests",)

    def decode(self, data: bytes) -> Any:
        """The session's document, or what a log makes of it."""
        value = decode_lenient(data)
        if isinstance(value, dict) and "kind" not in as_dict(value):
            return as_dict(value)
        return _replayed(data, self._strange)

    def session(self, document: dict[str, Any]) -> Session:
        """Title and beginning."""
        began = time_of(document.get("creationDate"))
        folder = _folder(document.get("workingDirectory"))
        return Session(as_str(document.get("customTitle")), folder, began)

    def entries(self, record: dict[str, Any]) -> Entries:
        """A request and its response."""
        at, message = time_of(record.get("timestamp")), record.get("message")
        native = as_str(record.get("requestId")) or None
        asked = texts(message)
        result = as_dict(record.get("result"))
        metadata = as_dict(result.get("metadata"))
        model = first_str(metadata, "resolvedModel") or as_str(record.get("modelId"))
        parts = list(self._response(record.get("response")))
        called = {part.id for part in parts if isinstance(part, ToolCall)}
        calls, results = _rounds(metadata, called)
        told = [Entry(Role.USER, (Text(asked),) if asked else (), (), at, native)]
        answer = as_str(record.get("responseId")) or None
        finished = as_int(as_dict(result.get("timings")).get("totalElapsed"))
        done = at + finished / 1000 if at is not None and finished else at
        usage = usage_of(metadata) or usage_of(result.get("usage"))
        said = (*_joined(parts), *calls)
        told.append(Entry(Role.ASSISTANT, said, (), done, answer, model=model or None, usage=usage))
        if results:
            told.append(Entry(Role.TOOL, (), tuple(results), done))
        if words := first_str(as_dict(result.get("errorDetails")), "message"):
            told.append(error_entry(self.source.agent, words, done))
        return told

    def _response(self, response: Any) -> Iterator[Part]:
        agent = self.source.agent
        for item in as_list(response):
            if isinstance(item, str):
                yield Text(item)
                continue
            piece = as_dict(item)
            kind = as_str(piece.get("kind"))
            if not kind or kind in ("markdownContent", "markdownVuln"):
                if words := texts(piece.get("value", piece.get("content"))):
                    yield Text(words)
            elif kind == "inlineReference":
                if name := first_str(piece, "name") or _folder(piece.get("inlineReference")):
                    yield Text(f"`{name}`")
            elif kind == "thinking":
                if words := texts(piece.get("value")):
                    yield Reasoning(words)
            elif kind == "toolInvocationSerialized":
                yield _invocation(piece)
            elif kind == "textEditGroup":
                yield Extension(
                    f"{agent}.edit", {"uri": _folder(piece.get("uri")), "edits": piece.get("edits")}
                )
            elif kind not in _CHROME:
                self._strange(f"response/{kind}")
                yield Extension(f"{agent}.{kind[:40]}", piece)


def _joined(parts: list[Part]) -> tuple[Part, ...]:
    """Pieces of markdown are one text: a file's name inside a sentence is a separate piece."""
    merged: list[Part] = []
    for part in parts:
        if isinstance(part, Text) and merged and isinstance(merged[-1], Text):
            merged[-1] = Text(merged[-1].content + part.content)
        else:
            merged.append(part)
    return tuple(merged)


def _invocation(piece: dict[str, Any]) -> ToolCall:
    name = first_str(piece, "toolId", "toolName") or "tool"
    special = as_dict(piece.get("toolSpecificData"))
    command = special.get("commandLine", special.get("command"))
    shown = texts(piece.get("pastTenseMessage")) or texts(piece.get("invocationMessage"))
    given = {"command": command, "message": shown or None, "input": special.get("rawInput")}
    return ToolCall(
        first_str(piece, "toolCallId") or None,
        name,
        {k: v for k, v in given.items() if v is not None},
    )


def _rounds(metadata: dict[str, Any], called: set[str | None]) -> tuple[list[Part], list[Part]]:
    """The calls that only the metadata has, and what tools gave back."""
    asked = [
        call
        for one in as_dicts(metadata.get("toolCallRounds"))
        for call in as_dicts(one.get("toolCalls"))
        if (first_str(call, "id") or None) not in called
    ]
    calls: list[Part] = [*calls_of(asked)]
    results: list[Part] = [
        ToolCallResponse(str(name), texts(as_dict(result).get("content")) or result)
        for name, result in as_dict(metadata.get("toolCallResults")).items()
    ]
    return calls, results


def _folder(value: Any) -> str:
    """The path of a URI, given as text or as its parts."""
    uri = as_dict(value)
    inner = as_dict(uri.get("uri")) or uri
    if path := first_str(inner, "fsPath", "path"):
        return path
    text = as_str(value) or first_str(uri, "folderUri", "external")
    try:
        return unquote(urlparse(text).path) if text.startswith("file:") else text
    except ValueError:
        return ""


def _replayed(data: bytes, strange: blocks.Strange) -> Any:
    """What the records of a log make of its session; None if there is none."""
    state: Any = None
    for line, _, _ in lines(data):
        record = as_dict(decode_lenient(line))
        kind, keys = record.get("kind"), as_list(record.get("k"))
        if kind == 0:
            state = record.get("v")
        elif kind in (1, 2, 3) and keys and len(keys) < _DEEPEST:
            if not _changed(state, keys, record):
                strange("log/no place")
        else:
            strange("log/record")
    return state


def _changed(state: Any, keys: list[Any], record: dict[str, Any]) -> bool:
    """Apply one record of a log; whether there was a place for it."""
    for key in keys[:-1]:
        state = _at(state, key)
    last, kind, value = keys[-1], record.get("kind"), record.get("v")
    # JSON: the items of a list are of any type.
    items: list[Any] | None = state if isinstance(state, list) else None  # pyright: ignore[reportUnknownVariableType]
    fields: dict[str, Any] | None = state if isinstance(state, dict) else None  # pyright: ignore[reportUnknownVariableType]
    if kind == 2:
        return _extended(fields, _at(state, last), last, record)
    if fields is not None:
        if kind == 3:
            fields.pop(str(last), None)
        else:
            fields[str(last)] = value
        return True
    index = as_int(last)
    if items is not None and index is not None and 0 <= index < len(items):
        items[index] = value if kind == 1 else None
        return True
    return False


def _extended(fields: dict[str, Any] | None, found: Any, key: Any, record: dict[str, Any]) -> bool:
    """Add items to a list, from `i` on where that is said."""
    if found is None and fields is not None:
        found = fields[str(key)] = list[Any]()
    if not isinstance(found, list):
        return False
    items: list[Any] = found  # pyright: ignore[reportUnknownVariableType] - as above
    if (start := as_int(record.get("i"))) is not None and 0 <= start <= len(items):
        del items[start:]
    items.extend(as_list(record.get("v")))
    return True


def _at(state: Any, key: Any) -> Any:
    if isinstance(state, dict):
        return as_dict(state).get(str(key))
    items, index = as_list(state), as_int(key)
    return items[index] if index is not None and 0 <= index < len(items) else None


class ChatSessions(StoreProvider):
    """Provider of an editor's chat sessions."""

    def kind(self, path: Path) -> Kind:  # noqa: ARG002 - logs are read whole, too
        """A file is always read whole."""
        return Kind.WHOLE

    def sources_in(self, path: Path, instance: str, workspace: str | None) -> list[Source]:
        """The sources of a file that a user hands over: itself, or the sessions of a database.

        Raises:
            OSError, UnreadableSessionError: the database cannot be read.
        """
        if path.suffix != ".vscdb":
            return [Source(self.agent, path, instance, Kind.WHOLE, None, workspace, str(path))]
        return [
            Source(self.agent, path, instance, Kind.DATABASE, native, workspace)
            for native in stored_sessions(path)
        ]

    def follow(self, source: Source, since: Cursor | None = None) -> Iterator[RawDelta]:
        """The whole file if it changed (a log is no JSON document), or a session of a database."""
        if source.kind is not Kind.DATABASE:
            return follow_opaque(source.path, since)

        def read() -> list[bytes]:
            found = stored_sessions(source.path).get(source.native_id or "")
            if found is None:
                raise UnreadableSessionError(
                    f"{source.path} no longer holds {source.native_id}; what was archived stays"
                )
            return [found]

        return follow_records(database_stamp(source.path), read, since)

    def facts(self, source: Source, stored: dict[str, Any]) -> dict[str, Any]:
        """The workspace's folder."""
        described = as_dict(document_beside(source.path.parent.parent / "workspace.json"))
        folder = _folder(described.get("folder")) or _folder(described.get("workspace"))
        return {**stored, **({"workspace": folder} if folder else {})}


PROVIDER = ChatSessions(AGENT)
