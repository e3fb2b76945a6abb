"""Updates of the Agent Client Protocol, as agents that speak it send them or write them down.

`update_entries` reads one `session/update` of a session file: pieces of prompts, answers and
thoughts that go on in the turn before, tool calls and what comes of them. `acp_stream` reads the
traffic itself by the same functions. Pure. (Protocol: agentclientprotocol.com, v1.)

Tested in: tests/providers/formats/test_acp_stream.py
"""

from collections.abc import Mapping
from typing import Any

from dejavu.model import Blob, Extension, Part, Reasoning, Role, Text, ToolCall, ToolCallResponse

from . import content_blocks as blocks
from .entries import Entry, first_str, texts
from .json_lines import as_dict, as_dicts, as_str

PIECES = {
    "user_message_chunk": Role.USER,
    "agent_message_chunk": Role.ASSISTANT,
    "agent_thought_chunk": Role.ASSISTANT,
}
"""Updates that hold a piece of a message, and whose."""
WHOLE = ("user_message", "agent_message", "agent_thought")
"""Updates of version 2 that hold a message whole, named as its pieces are without `_chunk`."""
SILENT = frozenset({
    "available_commands_update", "current_mode_update", "config_option_update", "session_info_update",
    "usage_update", "plan_removed", "notice", "terminal_update", "terminal_output_chunk",
    "compaction_summary_chunk",
})  # fmt: skip
"""Updates that say nothing a person said or read."""
_ENDED = frozenset({"completed", "failed", "cancelled"})
_LINKS = frozenset({"block/resource_link", "block/resource"})


def update_entries(
    update: dict[str, Any], agent: str, strange: blocks.Strange, at: float | None
) -> list[Entry] | None:
    """What one update says; None if its kind is unknown."""
    kind = as_str(update.get("sessionUpdate"))
    if kind in PIECES:
        return [
            Entry(PIECES[kind], tuple(message_parts(update, agent, strange)), (), at, joined=True)
        ]
    if kind == "tool_call":
        call = [Entry(Role.ASSISTANT, (tool_call(update),), (), at, joined=True)]
        return call + ([_response_entry(update, at)] if is_ended(update) else [])
    if kind == "tool_call_update":
        return [_response_entry(update, at)] if is_ended(update) else []
    if kind == "plan":
        return [Entry(Role.ASSISTANT, (plan(update, agent),), (), at, joined=True)]
    return [] if kind in SILENT else None


def message_parts(update: dict[str, Any], agent: str, strange: blocks.Strange) -> list[Part]:
    """The content of a piece of a message; a thought's text as reasoning."""
    content = update.get("content")
    parts = content_parts(content if isinstance(content, list) else [content], agent, strange)
    if as_str(update.get("sessionUpdate")) == "agent_thought_chunk":
        return [Reasoning(part.content) if isinstance(part, Text) else part for part in parts]
    return parts


def content_parts(content: Any, agent: str, strange: blocks.Strange) -> list[Part]:
    """Content blocks; what they link to or embed is kept as it is."""

    def unknown(kind: str) -> None:
        if kind not in _LINKS:
            strange(kind)

    return blocks.parts(content, agent, unknown)[0]


def tool_call(update: dict[str, Any]) -> ToolCall:
    """The call of a tool; its arguments are what is shown of it where the raw input is not told."""
    name = _own_name(update) or first_str(update, "name", "toolName", "kind", "title") or "tool"
    given = update.get("rawInput")
    if given is None:
        shown = {"title": update.get("title"), "locations": update.get("locations")}
        given = {key: value for key, value in shown.items() if value}
    return ToolCall(first_str(update, "toolCallId") or None, name, blocks.arguments(given))


def _own_name(update: dict[str, Any]) -> str:
    """The tool's own name, which agents put into their extension of the protocol."""
    meta = as_dict(update.get("_meta"))
    inside = (as_dict(value) for value in meta.values())
    return first_str(meta, "toolName") or next(
        (name for one in inside if (name := first_str(one, "toolName"))), ""
    )


def is_ended(update: dict[str, Any]) -> bool:
    """Whether a call has come to its end; its progress says nothing."""
    return as_str(update.get("status")) in _ENDED


def tool_response(update: dict[str, Any], terminals: Mapping[str, str] | None = None) -> list[Part]:
    """What an ended call gave back, and the changes and media in it.

    terminals: what the terminals that it ran in showed, by their ids.
    """
    parts: list[Part] = []
    words: list[str] = []
    for block in as_dicts(update.get("content")):
        if block.get("type") == "diff":
            names = ("changes", "patch") if "changes" in block else ("path", "oldText", "newText")
            parts.append(Extension("acp.diff", {key: block.get(key) for key in names}))
        elif block.get("type") == "terminal":
            words.append((terminals or {}).get(as_str(block.get("terminalId")), ""))
        elif (media := _media(as_dict(block.get("content")))) is not None:
            parts.append(media)
        elif text := texts(block.get("content")):
            words.append(text)
    shown: Any = "\n".join(words) if any(words) else update.get("rawOutput")
    failed = update.get("status") == "failed"
    return [ToolCallResponse(first_str(update, "toolCallId") or None, shown, failed), *parts]


def plan(update: dict[str, Any], agent: str) -> Extension:
    """The agent's plan as it is."""
    return Extension(f"{agent}.plan", {"entries": update.get("entries")})


def _response_entry(update: dict[str, Any], at: float | None) -> Entry:
    return Entry(Role.TOOL, (), tuple(tool_response(update)), at)


def _media(content: dict[str, Any]) -> Blob | None:
    data = as_str(content.get("data"))
    return Blob(first_str(content, "mimeType") or None, data) if data else None
