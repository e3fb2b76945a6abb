"""Antigravity, which follows Gemini CLI: one JSONL log of steps a conversation.

Reads `brain/*/.system_generated/logs/transcript_full.jsonl` (or `transcript.jsonl`, which cuts long
steps short) below `~/.gemini/antigravity-cli`, and the editor's below `~/.gemini/antigravity`, one
conversation a log. Steps have no ids for calls: a tool's result is the next step that is neither a
prompt nor the model's. (Format as public readers of 1.1 describe it; the conversation's own
database is encrypted.)
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from dejavu.model import (
    Extension,
    Part,
    Reasoning,
    Role,
    Span,
    Text,
    ToolCall,
    ToolCallResponse,
    from_iso,
)

from ..conversation_builder import ConversationBuilder
from ..formats.json_coerce import as_dict, as_dicts, as_int, as_str
from ..formats.json_lines import UNREADABLE, decode_lenient
from ..message_assembler import MessageAssembler, Piece
from ..parsing import MAIN
from ..protocol import Home, Source
from ..session_files import SessionFileProvider

_FOLDERS = "antigravity-cli", "antigravity"
_LOGS = "brain/*/.system_generated/logs/transcript*.jsonl"
_CALLS = 64  # calls that may wait for what they gave
_AROUND = re.compile(
    r"<(ADDITIONAL_METADATA|USER_INFORMATION|SYSTEM_MESSAGE)>(.*?)</\1>", re.DOTALL
)
_REQUEST = re.compile(r"</?USER_REQUEST>")


class AntigravityParser(MessageAssembler):
    """One log, one conversation."""

    def memory(self) -> dict[str, Any]:
        """Also: the calls that wait for what they gave."""
        return {**super().memory(), "calls": self._calls}

    def remember(self, memory: dict[str, Any]) -> None:
        """The inverse."""
        super().remember(memory)
        self._calls: list[str] = list(memory.get("calls", ()))

    def record(self, line: memoryview, span: Span) -> None:
        """Take one step."""
        step = as_dict(decode_lenient(line))
        source, kind = as_str(step.get("source")), as_str(step.get("type"))
        if not step:
            self.drift[UNREADABLE] += 1
            return
        thread = self._thread()
        piece = Piece(step, span, from_iso(step.get("created_at")))
        if source == "USER_EXPLICIT":
            self._prompt(thread, piece)
        elif source == "MODEL" and kind in ("", "PLANNER_RESPONSE"):
            self._answer(thread, piece)
        elif source in ("MODEL", "SYSTEM") and self._calls:
            failed = kind == "ERROR_MESSAGE" or step.get("status") == "ERROR"
            call = ToolCallResponse(self._calls.pop(0), as_str(step.get("content")), failed)
            self.add(thread, Role.TOOL, [call], piece)
        elif source in ("MODEL", "SYSTEM"):
            if text := as_str(step.get("content")):
                self.add(thread, Role.SYSTEM, [Text(text)], piece, meta={"step": kind})
        else:
            self.append_unknown(thread, source or "(untyped)", line, span, at=piece.at)

    def _thread(self) -> ConversationBuilder:
        if MAIN not in self.threads:
            native = self.source.native_id or self.source.path.stem
            self.threads[MAIN] = ConversationBuilder(self.head(native))
        return self.threads[MAIN]

    def _prompt(self, thread: ConversationBuilder, piece: Piece) -> None:
        """What was typed, and apart from it what the harness put around it."""
        self._calls = []
        text = as_str(piece.payload.get("content"))
        around = [body.strip() for _, body in _AROUND.findall(text)]
        typed = _REQUEST.sub("", _AROUND.sub("", text)).strip()
        for note in around:
            self.amend(thread, workspace=as_str(as_dict(decode_lenient(note.encode())).get("cwd")))
        parts: list[Part] = [Text(typed)] if typed else []
        parts += [Extension("antigravity.context", {"content": note}) for note in around]
        if parts:
            self.add(thread, Role.USER if typed else Role.SYSTEM, parts, piece)

    def _answer(self, thread: ConversationBuilder, piece: Piece) -> None:
        step = piece.payload
        thought, text = as_str(step.get("thinking")), as_str(step.get("content"))
        parts: list[Part] = [Reasoning(thought)] if thought else []
        parts += [Text(text)] if text else []
        for index, call in enumerate(as_dicts(step.get("tool_calls"))):
            native = f"{as_int(step.get('step_index')) or 0}.{index}"
            arguments = call.get("args")
            parts.append(ToolCall(native, as_str(call.get("name")), arguments))
            self._calls = [*self._calls, native][-_CALLS:]
            folder = as_str(as_dict(arguments).get("Cwd"))
            self.amend(thread, workspace=thread.head.workspace or folder)
        self.end(thread)
        if parts:
            self.append_assistant(thread, parts, piece)


class Antigravity(SessionFileProvider):
    """Provider of `~/.gemini/antigravity-cli/brain`."""

    agent = "antigravity"
    parser_class = AntigravityParser

    def roots(self, home: Home) -> tuple[Path, ...]:
        """The command line's folder and the editor's."""
        return tuple(home.relocated("GEMINI_CLI_HOME", ".gemini", folder) for folder in _FOLDERS)

    def discover(self, home: Home) -> Iterator[Source]:
        """A source for each conversation, its whole log where there is one."""
        for root in self.roots(home):
            # `transcript.jsonl` sorts before `transcript_full.jsonl`, which so takes its place.
            logs = {path.parents[2].name: path for path in sorted(root.glob(_LOGS))}
            for native, path in logs.items():
                yield self.source(home, path, native)


PROVIDER = Antigravity()
