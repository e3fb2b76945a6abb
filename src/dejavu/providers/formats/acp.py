"""Updates of the Agent Client Protocol, as agents that speak it write them down.

`update_entries` reads one `session/update`: pieces of prompts, answers and thoughts that go on in
the turn before, tool calls and what comes of them. Pure. (Protocol: agentclientprotocol.com, v1.)
"""

from typing import Any

from dejavu.model import Blob, Extension, Part, Reasoning, Role, Text, ToolCall, ToolCallResponse

from . import content_blocks as blocks
from .entries import Entry, first_str, texts
from .json_coerce import as_dict, as_dicts, as_str

_PIECES = {
    "user_message_chunk": Role.USER,
    "agent_message_chunk": Role.ASSISTANT,
    "agent_thought_chunk": Role.ASSISTANT,
}
_SILENT = frozenset({
    "available_commands_update", "current_mode_update", "config_option_update", "session_info_update",
    "usage_update",
})  # fmt: skip
_ENDED = frozenset({"completed", "failed"})


def update_entries(
    update: dict[str, Any], agent: str, strange: blocks.Strange, at: float | None
) -> list[Entry] | None:
    """What one update says; None if its kind is unknown."""
    kind = as_str(update.get("sessionUpdate"))
    if kind in _PIECES:
        content = update.get("content")
        said = blocks.parts(content if isinstance(content, list) else [content], agent, strange)[0]
        if kind == "agent_thought_chunk":
            said = [Reasoning(part.content) if isinstance(part, Text) else part for part in said]
        return [Entry(_PIECES[kind], tuple(said), (), at, joined=True)]
    if kind == "tool_call":
        return _call(update, at)
    if kind == "tool_call_update":
        return _ended(update, at)
    if kind == "plan":
        plan = Extension(f"{agent}.plan", {"entries": update.get("entries")})
        return [Entry(Role.ASSISTANT, (plan,), (), at, joined=True)]
    return [] if kind in _SILENT else None


def _call(update: dict[str, Any], at: float | None) -> list[Entry]:
    name = first_str(update, "name", "toolName", "kind", "title") or "tool"
    given = update.get("rawInput")
    if given is None:
        shown = {"title": update.get("title"), "locations": update.get("locations")}
        given = {key: value for key, value in shown.items() if value}
    call = ToolCall(first_str(update, "toolCallId") or None, name, blocks.arguments(given))
    told = [Entry(Role.ASSISTANT, (call,), (), at, joined=True)]
    return told + (_ended(update, at) if as_str(update.get("status")) in _ENDED else [])


def _ended(update: dict[str, Any], at: float | None) -> list[Entry]:
    """What a call gave back, once it ended; its progress says nothing."""
    if as_str(update.get("status")) not in _ENDED:
        return []
    parts: list[Part] = []
    words: list[str] = []
    for block in as_dicts(update.get("content")):
        if block.get("type") == "diff":
            diff = {key: block.get(key) for key in ("path", "oldText", "newText")}
            parts.append(Extension("acp.diff", diff))
        elif (media := _media(as_dict(block.get("content")))) is not None:
            parts.append(media)
        elif text := texts(block.get("content")):
            words.append(text)
    shown: Any = "\n".join(words) if words else update.get("rawOutput")
    failed = update.get("status") == "failed"
    result = ToolCallResponse(first_str(update, "toolCallId") or None, shown, failed)
    return [Entry(Role.TOOL, (), (result, *parts), at)]


def _media(content: dict[str, Any]) -> Blob | None:
    data = as_str(content.get("data"))
    return Blob(first_str(content, "mimeType") or None, data) if data else None
