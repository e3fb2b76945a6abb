"""OpenCode, `opencode run --format json [--thinking] PROMPT`, and what its server tells.

Parses that stdout into turns: one line a finished part (`text`, `reasoning`, `tool_use`,
`step_start`, `step_finish`) or `error`, one answer a message, as its store keeps them. The prompt
is in argv only (its store puts quotes around a prompt with blanks). Shapes: recordings of 1.18.33.
Lines of the server's `/event` stream (`opencode.events`) are read as well.
"""

from typing import Any

from dejavu.model import (
    Reasoning,
    Role,
    Span,
    Text,
    from_iso,
)

from ..formats.json_lines import as_dict, as_str, decode_lenient
from ..formats.streams.command_line import Options, names
from ..formats.streams.protocol import Stream
from ..formats.streams.values import without_none, words
from .events import EventParser
from .parts import tool_call, tool_results, usage

_QUIET = frozenset({"step_start", "snapshot", "patch"})


class OpenCodeStreamParser(EventParser):
    """Turns from parts. A tool's line has both its call and its result, so results come after."""

    def record(self, line: memoryview, span: Span) -> None:
        """Take one line."""
        event = as_dict(decode_lenient(line))
        if "properties" in event or "payload" in event or not event:
            super().record(line, span)
            return
        kind, part = as_str(event.get("type")) or "(no type)", as_dict(event.get("part"))
        at, message = from_iso(event.get("timestamp")), as_str(part.get("messageID")) or None
        self.name(as_str(event.get("sessionID")))
        if kind in ("text", "reasoning"):
            if text := as_str(part.get("text")):
                answer = self.answer(span, message, at=at, native_id=message)
                answer.add(Text(text) if kind == "text" else Reasoning(text))
        elif kind == "tool_use":
            self.answer(span, message, at=at, native_id=message).add(tool_call(part))
            if results := tool_results(part):
                self.append(Role.TOOL, results, span, at=at)
        elif kind == "step_finish":
            current = self.open_answer()
            if current is not None and current.id == message:
                stop = without_none(stop_reason=as_str(part.get("reason")))
                current.note(meta={**current.turn.meta, **stop})
                current.spend(usage(part))
        elif kind == "error":
            failed = as_dict(event.get("error"))
            data = as_dict(failed.get("data"))
            text = words(data) or words(failed) or "error"
            self.fail(text, span, name=failed.get("name"), status=data.get("statusCode"))
        elif kind not in _QUIET:
            self.unknown(kind, line)


OPTIONS = Options(
    valued=names(
        "--log-level --command --session -s --model -m --agent --format --title --attach "
        "--password -p --username -u --dir --port --variant"
    ),
    variadic=names("--file -f"),
    session=names("--session -s"),
    format={"--format": frozenset({"json"})},
    commands=(names("run"),),
    joined=True,
)


def accepts(line: dict[str, Any]) -> bool:
    """Whether this can be the first line of such a stream."""
    event = as_dict(line.get("payload")) or line
    kind = event.get("type")
    if isinstance(event.get("properties"), dict):  # as a JSON schema has them, too
        return isinstance(kind, str) and "." in kind
    return isinstance(line.get("sessionID"), str) and isinstance(kind, str)


STREAM = Stream(
    agent="opencode",
    parser_class=OpenCodeStreamParser,
    accepts=accepts,
    begins=(
        b'{"type":"step_start"',
        b'{"type":"text","timestamp"',
        b'{"type":"error","timestamp"',
        b'{"id":"evt_',
        b'{"t":',
    ),
    options=OPTIONS,
)
