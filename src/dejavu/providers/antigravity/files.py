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

from dejavu.model import Extension, Part, Reasoning, Role, Text, ToolCall, ToolCallResponse

from ..entry_parsers import Entries, LineEntries
from ..formats.entries import Entry, Session, time_of
from ..formats.json_lines import as_dict, as_dicts, as_int, as_str, decode_lenient
from ..protocol import Home, Source
from ..session_files import SessionFileProvider

_FOLDERS = "antigravity-cli", "antigravity"
_LOGS = "brain/*/.system_generated/logs/transcript*.jsonl"
_CALLS = 64  # calls that may be without a result
_AROUND = re.compile(
    r"<(ADDITIONAL_METADATA|USER_INFORMATION|SYSTEM_MESSAGE)>(.*?)</\1>", re.DOTALL
)
_REQUEST = re.compile(r"</?USER_REQUEST>")


class AntigravityParser(LineEntries):
    """One log, one conversation."""

    version = 3
    repeats = False

    def memory(self) -> dict[str, Any]:
        """Also: the calls without a result."""
        return {**super().memory(), "calls": self._calls}

    def remember(self, memory: dict[str, Any]) -> None:
        """The inverse."""
        super().remember(memory)
        self._calls: list[str] = list(memory.get("calls", ()))

    def identity(self, record: dict[str, Any]) -> tuple[Any, Any, Any]:
        """Steps have a time alone."""
        return record.get("created_at"), None, None

    def kind_of(self, record: dict[str, Any]) -> str:
        """By its source."""
        return as_str(record.get("source"))

    def entries(self, record: dict[str, Any]) -> Entries:
        """One step."""
        source, kind = as_str(record.get("source")), as_str(record.get("type"))
        at, text = time_of(record.get("created_at")), as_str(record.get("content"))
        if source == "USER_EXPLICIT":
            return self._prompt(text, at)
        if source == "MODEL" and kind in ("", "PLANNER_RESPONSE"):
            return self._answer(record, at)
        if source not in ("MODEL", "SYSTEM"):
            return None
        if self._calls:
            failed = kind == "ERROR_MESSAGE" or record.get("status") == "ERROR"
            result = ToolCallResponse(self._calls.pop(0), text, failed)
            return [Entry(Role.TOOL, results=(result,), at=at)]
        return [Entry(Role.SYSTEM, (Text(text),), at=at, meta={"step": kind})] if text else []

    def _prompt(self, text: str, at: float | None) -> Iterator[Entry | Session]:
        """The prompt; what the harness put around it as extensions."""
        self._calls = []
        around = [body.strip() for _, body in _AROUND.findall(text)]
        typed = _REQUEST.sub("", _AROUND.sub("", text)).strip()
        for note in around:
            yield Session(workspace=as_str(as_dict(decode_lenient(note.encode())).get("cwd")))
        parts: list[Part] = [Text(typed)] if typed else []
        parts += [Extension("antigravity.context", {"content": note}) for note in around]
        yield Entry(Role.USER if typed else Role.SYSTEM, tuple(parts), at=at)

    def _answer(self, step: dict[str, Any], at: float | None) -> Iterator[Entry | Session]:
        thought, text = as_str(step.get("thinking")), as_str(step.get("content"))
        parts: list[Part] = [Reasoning(thought)] if thought else []
        parts += [Text(text)] if text else []
        for index, call in enumerate(as_dicts(step.get("tool_calls"))):
            native = f"{as_int(step.get('step_index')) or 0}.{index}"
            arguments = call.get("args")
            parts.append(ToolCall(native, as_str(call.get("name")), arguments))
            self._calls = [*self._calls, native][-_CALLS:]
            if not self._main().head.workspace:
                yield Session(workspace=as_str(as_dict(arguments).get("Cwd")))
        yield Entry(Role.ASSISTANT, tuple(parts), at=at)


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
            # `transcript.jsonl` sorts before `transcript_full.jsonl`, so the latter replaces it.
            logs = {path.parents[2].name: path for path in sorted(root.glob(_LOGS))}
            for native, path in logs.items():
                yield self.source(home, path, native)


PROVIDER = Antigravity()
