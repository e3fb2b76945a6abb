"""Codex, `codex exec [resume ID] --json PROMPT`.

Parses that stdout into turns. Lines are `thread.started`, `turn.*`,
`item.started|updated|completed`, `error`. Items come whole; what ran comes as an item, under the
item's id, not the model's call: a call is what the item says was run, its response what the item
says came out. The session file has none of these records; only the tokens are told in its words.
The prompt is in argv only. Source: codex-rs/exec/src/exec_events.rs and recordings of 0.169.0;
items that carry `item_type` are those of September 2025.
"""

from typing import Any

import msgspec

from dejavu.model import (
    Extension,
    Reasoning,
    Role,
    Span,
    Text,
    ToolCall,
    ToolCallResponse,
)

from ..formats.json_lines import UNREADABLE, decode_struct
from ..formats.json_lines import as_str as text_of
from ..formats.streams.command_line import Options, names
from ..formats.streams.jsonl import LineParser
from ..formats.streams.protocol import Stream
from ..formats.streams.values import without_none
from .items import usage

_QUIET = frozenset({"turn.started", "item.plan.delta", "request_user_input"})
_SAID = names("agent_message assistant_message plan reasoning")
_TOOLS = names("command_execution mcp_tool_call collab_tool_call file_change web_search")
_OUTCOME = names("aggregated_output exit_code result error agents_states")
_NOT_ASKED = _OUTCOME | names("id type item_type status tool server")


class Failure(msgspec.Struct, frozen=True):
    """Why a turn failed."""

    message: str = ""


class CodexLine(msgspec.Struct, frozen=True):
    """One event."""

    type: str | None = None
    thread_id: str | None = None
    session_id: str | None = None
    item: dict[str, Any] | None = None
    usage: dict[str, Any] | None = None
    error: Failure | str | None = None
    message: str | None = None


_DECODER = msgspec.json.Decoder(CodexLine)


class CodexStreamParser(LineParser):
    """Turns from items."""

    def memory(self) -> dict[str, Any]:
        """What must be remembered between feeds."""
        return {**super().memory(), "running": self._running}

    def remember(self, memory: dict[str, Any]) -> None:
        """The inverse of `memory`."""
        super().remember(memory)
        self._running: list[str] = memory.get("running", [])
        """Items that are in a turn already and have not come to an end."""

    def record(self, line: memoryview, span: Span) -> None:
        """Take one line."""
        event = decode_struct(line, _DECODER)
        if event is None:
            self.drift[UNREADABLE] += 1
            return
        kind = event.type or "(no type)"
        if kind in ("thread.started", "session.created", "session.resumed"):
            self.name(event.thread_id or event.session_id)
        elif kind in ("item.started", "item.updated", "item.completed"):
            self._item(event.item or {}, kind.removeprefix("item."), line, span)
        elif kind == "turn.completed":
            self._spend(event.usage)
        elif kind in ("turn.failed", "error"):
            error = event.error
            text = error.message if isinstance(error, Failure) else error
            self.fail(text or event.message or kind, span)
        elif kind not in _QUIET:
            self.unknown(kind, line)

    def _item(self, item: dict[str, Any], stage: str, line: memoryview, span: Span) -> None:
        kind = text_of(item.get("type")) or text_of(item.get("item_type"))
        key = text_of(item.get("id"))
        done = stage == "completed"
        if kind in _SAID:
            self._say(key, kind, text_of(item.get("text")), done, span)
        elif kind in _TOOLS:
            self._tool(key, kind, item, done, span)
        elif kind == "error":
            if done:
                self.fail(text_of(item.get("message")), span, item=key)
        elif kind == "todo_list":
            if done:
                part = Extension("codex.todo_list", {"items": item.get("items")})
                self.append(Role.SYSTEM, [part], span)
        else:
            self.unknown(f"item/{kind}", line)

    def _say(self, key: str, kind: str, text: str, done: bool, span: Span) -> None:
        """A message: its last version counts."""
        if not text:
            return
        answer = self.answer(span)
        answer.pieces.pop(key, None)
        thought = kind == "reasoning"
        if done:
            answer.add(Reasoning(text) if thought else Text(text))
        else:
            answer.piece(key, "reasoning" if thought else "text", text)

    def _tool(self, key: str, kind: str, item: dict[str, Any], done: bool, span: Span) -> None:
        """What was run, in the turn in progress; what came out, in a tool's turn."""
        if key not in self._running:
            name = text_of(item.get("tool")) or kind
            if server := text_of(item.get("server")):
                name = f"{server}.{name}"
            call_input = item.get("arguments")
            if call_input is None:
                call_input = {name: value for name, value in item.items() if name not in _NOT_ASKED}
            self.answer(span).add(ToolCall(key, name, call_input))
            self._running.append(key)
        if done:
            self._running.remove(key)
            failed = item.get("status") in ("failed", "declined")
            response = ToolCallResponse(key, _outcome(kind, item), failed)
            meta = without_none(exit_code=item.get("exit_code"))
            self.append(Role.TOOL, [response], span, meta=meta)

    def _spend(self, tokens: dict[str, Any] | None) -> None:
        """The run's tokens, all of them, at its last answer: single responses are not told."""
        current = self.open_answer()
        if tokens is not None and current is not None:
            current.note(usage=usage(tokens), meta={**current.turn.meta, "usage_of": "run"})


def _outcome(kind: str, item: dict[str, Any]) -> Any:
    """What came out: the output of a command, else all that is no part of the call."""
    if kind == "command_execution" and item.get("aggregated_output") is not None:
        return item["aggregated_output"]
    came = {name: value for name, value in item.items() if name in _OUTCOME and value is not None}
    return came or item.get("status")


OPTIONS = Options(
    valued=names(
        "--config -c --enable --disable --model -m --local-provider --profile -p --sandbox -s --cd "
        "-C --add-dir --thread-source --output-schema --color --output-last-message -o "
        "--cyber-access-program --worktree --ask-for-approval -a"
    ),
    variadic=names("--image -i"),
    format={"--json": frozenset(), "--experimental-json": frozenset()},
    commands=(names("exec e"), names("resume fork")),
    sessions_after=names("resume fork"),
    latest=names("--last"),
)


def accepts(line: dict[str, Any]) -> bool:
    """Whether this can be the first line of such a stream."""
    kind = line.get("type")
    return kind in ("thread.started", "session.created", "session.resumed") and (
        "thread_id" in line or "session_id" in line
    )


STREAM = Stream(
    agent="codex",
    parser_class=CodexStreamParser,
    accepts=accepts,
    begins=(b'{"type":"thread.started"', b'{"type":"session.'),
    options=OPTIONS,
)
