"""Gemini CLI: a session is a patch log (`.jsonl`), before that one document (`.json`).

Reads `.gemini/tmp/*/chats/session-*` below `${GEMINI_CLI_HOME:-~}`: sessions and sub-agents. In the
log a message written again under its id replaces itself, `{"$set": {"messages": [...]}}` replaces
the whole list, `{"$patch": ...}` some of it and `{"$rewindTo": id}` takes messages back. What is
taken back stays in the conversation, for it was said; what changes changes in its place; a copy of
the history under new ids (see `history`) adds nothing. The log's own message records lose
U+200D: a later `$set` has it right, and wins.
"""

import re
from collections.abc import Iterator
from hashlib import sha256
from itertools import chain
from pathlib import Path
from typing import Any

import msgspec

from dejavu.model import (
    Extension,
    Part,
    Relation,
    Role,
    Span,
    Text,
    ToolCall,
    ToolCallResponse,
    Turn,
    from_iso,
)

from ..conversation_builder import ConversationBuilder
from ..find_paths import glob_below
from ..formats import google_parts
from ..formats.json_lines import UNREADABLE, as_dict, as_dicts, as_list, as_str, decode_lenient
from ..parsing import MAIN, DocumentParser, RecordParser
from ..protocol import Home, Kind, Source
from ..session_files import SessionFileProvider
from .answer_parts import thoughts_of, usage_of
from .history import copies, fingerprint, fingerprints, is_said, updated_fields
from .late_calls import CALLS, joined, piece_name, split
from .project import project_facts

_HELD = 32  # messages whose turns are kept to be told again
_FOLDER = re.compile(
    r"(?:Workspace Directories:\**\s*\n\s*-|working in the directory:)\s*(/[^\n]+)"
)
_SPILLED = ("<tool_output_masked>", "Output too large. ")
_INJECTED = ("<session_context>", "<hook_context>", "<system-reminder>", "<state_snapshot>")


class _Entry(msgspec.Struct, array_like=True):
    """A message in the order it was first told: its id, where it begins, what it was, if held."""

    id: str
    start: int
    print: bytes = b""
    message: dict[str, Any] | None = None
    said: bytes = b""  # what `copies` knows it by
    calls: int = 0  # with which it was told


class GeminiParser(RecordParser):
    """One log, one conversation."""

    version = 5

    def memory(self) -> dict[str, Any]:
        """The messages told; the last ones whole."""
        entries = [
            [
                entry.id,
                entry.start,
                entry.print,
                entry.message if index < _HELD else None,
                entry.said,
                entry.calls,
            ]
            for index, entry in enumerate(reversed(self._entries))
        ]
        return {"entries": entries[::-1], "copies": self._copies, "late": self._late}

    def remember(self, memory: dict[str, Any]) -> None:
        """The inverse."""
        entries = memory.get("entries", ())
        self._entries: list[_Entry] = [msgspec.convert(entry, _Entry) for entry in entries]
        self._copies: dict[str, str] = dict(memory.get("copies", {}))
        self._late: dict[str, list[int]] = dict(memory.get("late", {}))
        """Of a message that got calls late: how many it had each time."""
        self._calls: dict[str, bool] = {}
        """Calls that messages list, by id: whether with a result. A rewritten history has them in
        its messages' contents, too."""
        for entry in self._entries:
            self._note_calls(entry.message or {})
        self._places: dict[str, int] = {}
        self._place_entries()

    def _note_calls(self, message: dict[str, Any]) -> None:
        self._calls |= {
            as_str(call.get("id")): bool(call.get("result"))
            for call in as_dicts(message.get(CALLS))
        }

    def _place_entries(self) -> None:
        self._places = {entry.id: place for place, entry in enumerate(self._entries)}

    def record(self, line: memoryview, span: Span) -> None:
        """Take a message or a patch."""
        value = decode_lenient(line)
        record = as_dict(value)
        if not record:
            self.drift[UNREADABLE] += 1
        elif "$set" in record:
            patch = as_dict(record["$set"])
            thread = self._thread(patch)
            messages = as_dicts(patch.get("messages"))
            self._drop_copies(
                thread, [(as_str(message.get("id")), message) for message in messages], span
            )
            self._tell(thread, messages, span)
        elif "$patch" in record:
            self._patch(self._thread({}), as_dict(record["$patch"]), span)
        elif "$rewindTo" in record:
            part = Extension(f"{self.source.agent}.rewind", {"to": record["$rewindTo"]})
            self._thread({}).append(Turn(role=Role.SYSTEM, parts=(part,), spans=(span,)))
        elif "sessionId" in record and "type" not in record:
            self._tell(self._thread(record), as_dicts(record.get("messages")), span)
        elif "id" in record and "type" in record:
            self._tell(self._thread({}), [record], span)
        else:
            self.append_unknown(self._thread({}), "(untyped)", line, span)

    def _thread(self, header: dict[str, Any]) -> ConversationBuilder:
        if MAIN not in self.threads:
            native = (
                self.source.native_id or as_str(header.get("sessionId")) or self.source.path.stem
            )
            parent = as_str(self.facts.get("parent")) or None
            head = self.head(native, parent=parent, relation=Relation.SUBAGENT)
            self.threads[MAIN] = ConversationBuilder(head)
        thread = self.threads[MAIN]
        self.amend(
            thread,
            title=as_str(header.get("summary")),
            workspace=as_str(self.facts.get("workspace")),
            started_at=thread.head.started_at or from_iso(header.get("startTime")),
        )
        return thread

    def _patch(self, thread: ConversationBuilder, patch: dict[str, Any], span: Span) -> None:
        """A part of the history was rewritten: fields of messages, and which of them count."""
        removed = {as_str(name) for name in as_list(patch.get("removeIds"))}
        order = [as_str(name) for name in as_list(patch.get("orderIds"))]
        if removed and not order:
            order = [entry.id for entry in self._entries if entry.id not in removed]
        self._drop_copies(thread, [(name, None) for name in order], span)
        updated: list[dict[str, Any]] = []
        for update in as_dicts(patch.get("updates")):
            message = self._message(self._original(as_str(update.get("id"))))
            if message is not None:
                updated.append({**message, **updated_fields(message, update)})
        self._tell(thread, updated, span)

    def _message(self, name: str) -> dict[str, Any] | None:
        """A message as it was last told, if it is held."""
        names = (piece_name(name, number) for number in range(len(self._late.get(name, ())) + 1))
        places = [self._places[one] for one in names if one in self._places]
        pieces = [self._entries[place].message for place in places]
        held = [piece for piece in pieces if piece is not None]
        return joined(held) if held and len(held) == len(pieces) else None

    def _without_late_calls(self, message: dict[str, Any]) -> list[dict[str, Any]]:
        """The message; calls that it gets when others stand behind it are one of their own."""
        name, count = as_str(message.get("id")), len(as_dicts(message.get(CALLS)))
        if name not in self._places or not count:
            return [message]
        entry, bounds = self._entries[self._places[name]], self._late.get(name, [])
        last = self._places.get(piece_name(name, len(bounds)), self._places[name])
        if count > entry.calls and any(
            is_said(one.message or {}) for one in self._entries[last + 1 :]
        ):
            bounds = self._late[name] = [*bounds, entry.calls]
        entry.calls = max(entry.calls, count)
        return split(message, name, bounds)

    def _original(self, name: str) -> str:
        """The id under which a message was told first."""
        return self._copies.get(name, name)

    def _drop_copies(
        self,
        thread: ConversationBuilder,
        listed: list[tuple[str, dict[str, Any] | None]],
        span: Span,
    ) -> None:
        """Find the copies in a complete history, and take out those that were told."""
        told = {entry.id: entry for entry in self._entries}
        history: list[tuple[str, tuple[bytes, ...]]] = []
        for name, message in listed:
            entry = told.get(self._original(name), _Entry("", 0, message=message))
            history.append((self._original(name), fingerprints(entry.message, entry.said)))
        found = copies([(entry.id, entry.said) for entry in self._entries], history)
        if not found:
            return
        self._copies |= found
        first = next((i for i, entry in enumerate(self._entries) if entry.id in found), None)
        if first is None:
            return
        left = [entry for entry in self._entries[first:] if entry.id not in found]
        if any(entry.message is None for entry in left):
            return  # too far back to be told again: what is there stays
        thread.truncate(self._entries[first].start)
        del self._entries[first:]
        self._place_entries()
        self._tell(thread, [entry.message for entry in left if entry.message is not None], span)
        counts = {entry.id: entry.calls for entry in left}
        for entry in self._entries[first:]:
            entry.calls = max(entry.calls, counts.get(entry.id, 0))

    def _tell(
        self, thread: ConversationBuilder, messages: list[dict[str, Any]], span: Span
    ) -> None:
        """Put messages where they belong: known ones in their place, new ones at the end."""
        current_messages: dict[str, dict[str, Any]] = {}
        changed = len(self._entries)
        for message in chain.from_iterable(map(self._without_late_calls, messages)):
            name = as_str(message.get("id"))
            if name in self._copies:
                continue
            self._note_calls(message)
            index = self._places.get(name)
            if index is None:
                self._places[name] = len(self._entries)
                count = len(as_dicts(message.get(CALLS)))
                self._entries.append(_Entry(name, -1, b"", message, fingerprint(message), count))
            elif _print(message) != self._entries[index].print:
                changed = min(changed, index)
            current_messages[name] = message
        later = self._entries[changed:]
        if any(item.message is None and item.id not in current_messages for item in later):
            later = []  # too far back to be told again: what is there stays
        for index, entry in enumerate(later, changed):
            if index == changed and entry.start >= 0:
                thread.truncate(entry.start)
            entry.message = current_messages.get(entry.id, entry.message)
            entry.start, entry.print = len(thread), _print(entry.message or {})
            entry.said = fingerprint(entry.message or {}) or entry.said
            for turn in self._turns(entry.message or {}, span):
                thread.append(turn)
        if len(self._entries) > _HELD:
            thread.freeze_before(self._entries[-_HELD].start)

    # -- messages ------------------------------------------------------------------------------

    def _turns(self, message: dict[str, Any], span: Span) -> Iterator[Turn]:
        kind = as_str(message.get("type"))
        native = as_str(message.get("id")) or None
        common: dict[str, Any] = {"native_id": native, "at": from_iso(message.get("timestamp"))}
        common["spans"] = (span,)
        message_parts, results = google_parts.parts(message.get("content"), self.source.agent)
        if kind == "user":
            yield from self._prompt(message, message_parts, results, common)
        elif kind in ("gemini", "qwen", "model", "assistant"):
            yield from self._answer(message, message_parts, common)
        elif kind == "error":
            words = "\n".join(part.content for part in message_parts if isinstance(part, Text))
            error = Extension(f"{self.source.agent}.error", {"message": words})
            yield Turn(role=Role.SYSTEM, parts=(Text(words), error), **common)
        else:
            if kind not in ("info", "warning"):
                self.drift[kind or "(untyped)"] += 1
            yield Turn(role=Role.SYSTEM, parts=tuple(message_parts), meta={"level": kind}, **common)

    def _prompt(
        self,
        message: dict[str, Any],
        parts_: list[Part],
        results: list[Part],
        common: dict[str, Any],
    ) -> Iterator[Turn]:
        fresh = [result for result in results if not self._answered(result)]
        if fresh:
            yield Turn(role=Role.TOOL, parts=tuple(fresh), **common)
        words = next((part.content for part in parts_ if isinstance(part, Text)), "")
        shown, _ = google_parts.parts(message.get("displayContent"), self.source.agent)
        if words.startswith(_INJECTED):
            if match := _FOLDER.search(words):
                self.facts.setdefault("workspace", match.group(1).strip())
                self._thread({})
            yield Turn(role=Role.SYSTEM, parts=tuple(parts_), **common)
        elif parts_:
            added = (
                [] if not shown else [Extension(f"{self.source.agent}.sent", {"content": words})]
            )
            yield Turn(role=Role.USER, parts=(*(shown or parts_), *added), **common)

    def _answered(self, part: Part) -> bool:
        """Whether a message told this call's result with the call itself."""
        if not isinstance(part, ToolCallResponse):
            return False
        return self._calls.get(part.id or "", False)

    def _answer(
        self, message: dict[str, Any], message_parts: list[Part], common: dict[str, Any]
    ) -> Iterator[Turn]:
        calls = as_dicts(message.get("toolCalls"))
        parts: list[Part] = list(thoughts_of(as_dicts(message.get("thoughts"))))
        parts += [
            part
            for part in message_parts
            if not (isinstance(part, ToolCall) and part.id and part.id in self._calls)
        ]
        results: list[Part] = []
        for call in calls:
            native = as_str(call.get("id")) or None
            parts.append(ToolCall(native, as_str(call.get("name")), call.get("args")))
            results += self._results(call, native)
        tokens = as_dict(message.get("tokens"))
        model = as_str(message.get("model")) or None
        if parts:
            yield Turn(
                role=Role.ASSISTANT, parts=tuple(parts), model=model,
                usage=usage_of(tokens) if tokens else None, **common,
            )  # fmt: skip
        if results:
            yield Turn(role=Role.TOOL, parts=tuple(results), **common)

    def _results(self, call: dict[str, Any], native: str | None) -> Iterator[Part]:
        failed = call.get("status") in ("error", "cancelled")
        for entry in as_list(call.get("result")):
            answer = as_dict(as_dict(entry).get("functionResponse"))
            if answer:
                parsed = google_parts.response(answer)
                whole = self._whole(parsed.response)
                yield ToolCallResponse(native or parsed.id, whole, failed or parsed.is_error)
        if isinstance(call.get("result"), str):
            yield ToolCallResponse(native, self._whole(call["result"]), failed)
        shown = as_dict(call.get("resultDisplay"))
        if diff := as_str(shown.get("fileDiff")):
            file_change = {"path": shown.get("fileName"), "diff": diff}
            yield Extension(f"{self.source.agent}.diff", file_change)

    def _whole(self, shown: Any) -> Any:
        """A result, or all of it where it was put into a file of the session or, once, project."""
        if not isinstance(shown, str) or not shown.startswith(_SPILLED):
            return shown
        path = self.source.path
        project = next((above for above in path.parents if above.name == "chats"), path).parent
        session = f"session-{self.threads[MAIN].head.native_id}".replace("/", "_")
        folders = (project / "tool-outputs" / session, project / "tool_output")
        return self.spilled.full_text(shown, *folders) or shown


class GeminiDocumentParser(GeminiParser, DocumentParser):
    """The document of older versions: the header's fields and `messages` in one."""

    def document(self, value: Any, span: Span) -> None:
        """Take a session, or a bare list of messages."""
        header = as_dict(value)
        messages = as_dicts(header.get("messages") or header.get("history") or value)
        self._tell(self._thread(header), messages, span)


def _print(message: dict[str, Any]) -> bytes:
    """What tells one version of a message from another."""
    return sha256(msgspec.json.encode(message, order="deterministic")).digest()[:8]


class Gemini(SessionFileProvider):
    """Provider of `${GEMINI_CLI_HOME:-~}/.gemini/tmp/*/chats`."""

    agent = "gemini"

    def roots(self, home: Home) -> tuple[Path, ...]:
        """The folder of projects' temporary files, which holds the sessions."""
        return (home.relocated("GEMINI_CLI_HOME", ".gemini", "tmp"),)

    def discover(self, home: Home) -> Iterator[Source]:
        """A source for each session file; where both forms exist the log holds the document."""
        logs: dict[str, Path] = {}
        (root,) = self.roots(home)
        for path in sorted(glob_below(root, "*/chats/**/*.json*")):
            if path.suffix in (".json", ".jsonl"):
                logs[f"{path.parts[-3]}/{path.parent.name}/{path.stem}"] = path
        for name, path in logs.items():
            kind = Kind.APPEND if path.suffix == ".jsonl" else Kind.WHOLE
            yield Source(self.agent, path, home.instance, kind, None, home.workspace, name)

    def parser_for(self, source: Source) -> type[RecordParser]:
        """By the form the session has."""
        return GeminiParser if source.kind is Kind.APPEND else GeminiDocumentParser

    def facts(self, source: Source, stored: dict[str, Any]) -> dict[str, Any]:
        """The project's folder, and of a sub-agent its parent."""
        return {**stored, **project_facts(source.path)}


PROVIDER = Gemini()
