"""Pi, `pi --mode json -p PROMPT`.

Parses that stdout into turns: the `session` header of its file, then the agent's events.
`message_end` has each message whole; `message_update` has what it grew by (and, again and again,
all of it so far, which is skipped). Shapes: recordings of 0.73.1 and its docs/json.md.
"""

from typing import Any

import msgspec

from dejavu.model import Span, from_iso

from ..formats.json_lines import UNREADABLE, as_dict, decode_lenient, decode_struct
from ..formats.streams.command_line import Options, names
from ..formats.streams.entries import EntryStream
from ..formats.streams.protocol import Stream
from .records import message_entries

_QUIET = names(
    "agent_end agent_settled agent_start auto_compaction_end auto_compaction_start auto_retry_end "
    "auto_retry_start compaction_end compaction_start extension_ui_request message_start "
    "queue_update session_info_changed thinking_level_changed tool_execution_end "
    "tool_execution_start tool_execution_update turn_end turn_start"
)
_ROLES = "user", "assistant", "toolResult"
_PIECES = {"text_delta": "text", "thinking_delta": "reasoning"}


class Growth(msgspec.Struct, frozen=True, rename="camel"):
    """What a message grew by."""

    type: str | None = None
    content_index: int = 0
    delta: str | None = None


class PiLine(msgspec.Struct, frozen=True, rename="camel"):
    """One event, without its copies of the message so far."""

    type: str | None = None
    id: str | None = None
    cwd: str | None = None
    message: msgspec.Raw = msgspec.Raw(b"null")
    assistant_message_event: Growth | None = None


_DECODER = msgspec.json.Decoder(PiLine)


class PiStreamParser(EntryStream):
    """Turns from messages."""

    def record(self, line: memoryview, span: Span) -> None:
        """Take one line."""
        event = decode_struct(line, _DECODER)
        if event is None:
            self.drift[UNREADABLE] += 1
            return
        kind = event.type or "(no type)"
        if kind == "session":
            self.name(event.id, workspace=event.cwd)
        elif kind == "message_end":
            message = as_dict(decode_lenient(bytes(event.message)))
            if message.get("role") not in _ROLES:
                self.unknown(f"message/{message.get('role')}", line)
                return
            for one in message_entries(message, from_iso(message.get("timestamp")), self.strange):
                self.add_entry(one, span)
                self.end_answer()
            self.end_answer()  # an answer that says nothing is over, too
        elif kind == "message_update":
            growth = event.assistant_message_event
            if growth is not None and growth.type in _PIECES:
                slot = growth.content_index
                self.answer(span).piece(slot, _PIECES[growth.type], growth.delta or "")
        elif kind not in _QUIET:
            self.unknown(kind, line)


OPTIONS = Options(
    valued=names(
        "--provider --model --api-key --system-prompt --append-system-prompt --mode --session "
        "--fork --session-dir --models --tools -t --thinking --extension -e --skill "
        "--prompt-template --theme --export"
    ),
    optional=names("--list-models"),
    session=names("--session"),
    format={"--mode": frozenset({"json", "rpc"})},
)


def accepts(line: dict[str, Any]) -> bool:
    """Whether this can be the first line of such a stream."""
    kind = line.get("type")
    return kind == "agent_start" or (kind == "session" and "id" in line and "cwd" in line)


STREAM = Stream(
    agent="pi",
    parser_class=PiStreamParser,
    accepts=accepts,
    begins=(b'{"type":"session","version"', b'{"type":"agent_start"'),
    options=OPTIONS,
)
