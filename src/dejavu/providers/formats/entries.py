"""Messages of any agent as entries: role, parts, time, tokens.

`entry` reads one message of a session file or a stream: OpenAI's and Anthropic's forms, and the
spellings that agents use for the same facts. Never raises, whatever a field holds. Pure; O(size of
the message).
"""

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from dejavu.model import (
    Extension,
    Part,
    Reasoning,
    Relation,
    Role,
    Text,
    ToolCall,
    ToolCallResponse,
    Usage,
    from_iso,
)

from . import content_blocks as blocks
from .json_lines import as_dict, as_dicts, as_float, as_int, as_list, as_str, decode_lenient

_ROLES = {
    "user": Role.USER,
    "human": Role.USER,
    "assistant": Role.ASSISTANT,
    "ai": Role.ASSISTANT,
    "agent": Role.ASSISTANT,
    "model": Role.ASSISTANT,
    "bot": Role.ASSISTANT,
    "tool": Role.TOOL,
    "toolresult": Role.TOOL,
    "tool_result": Role.TOOL,
    "function": Role.TOOL,
    "system": Role.SYSTEM,
    "developer": Role.SYSTEM,
}
_IDS = "id", "uuid", "message_id", "messageId", "msgId"
_TIMES = "timestamp", "created_at", "createdAt", "time", "ts", "created", "at", "date"
_THOUGHTS = "reasoning_content", "reasoning", "thinking", "thought", "thoughts"
_CALL_IDS = "tool_call_id", "toolCallId", "callId", "call_id", "tool_use_id"
_USAGE = {
    "whole": ("prompt_tokens", "promptTokens", "inputTotal", "promptTokenCount"),  # with cached
    "fresh": ("input_tokens", "inputTokens", "input", "inputOther"),  # without cached
    "read": (
        "cache_read_input_tokens", "cache_read_tokens", "cacheReadInputTokens", "cacheReadTokens",
        "cacheRead", "cached_tokens", "cachedInputTokens", "inputCacheRead", "cacheReads",
    ),
    "written": (
        "cache_creation_input_tokens", "cache_write_tokens", "cacheCreationInputTokens",
        "cacheWriteTokens", "cacheWrite", "cache_creation_tokens", "inputCacheCreation",
        "cache_write_input_tokens", "cacheWrites",
    ),
    "output": (
        "output_tokens", "completion_tokens", "outputTokens", "completionTokens", "output",
        "candidatesTokenCount",
    ),
    "thought": ("reasoning_tokens", "reasoningTokens", "reasoning"),
}  # fmt: skip
_COSTS = "cost", "totalCost", "cost_usd", "costUsd"


class Session(NamedTuple):
    """Facts about the session that a record has; empty fields are unknown."""

    title: str = ""
    workspace: str = ""
    started_at: float | None = None
    agent_version: str = ""
    parent: str = ""
    relation: Relation = Relation.SUBAGENT
    model: str = ""


class Entry(NamedTuple):
    """One message. `results` are the responses of tools, a turn of their own before `parts`."""

    role: Role
    parts: tuple[Part, ...] = ()
    results: tuple[Part, ...] = ()
    at: float | None = None
    native_id: str | None = None
    parent: str | None = None
    model: str | None = None
    usage: Usage | None = None
    joined: bool = False
    """Whether it is a piece of the turn before, if that has the same role: texts are concatenated."""
    appended: bool = False
    """Whether its parts follow those of the turn before, if that has the same role."""
    meta: Mapping[str, str | int | float | bool | None] = MappingProxyType({})


def first(message: dict[str, Any], names: tuple[str, ...]) -> Any:
    """The value of the first of these keys that has one."""
    return next((message[name] for name in names if message.get(name) not in (None, "")), None)


def first_str(message: dict[str, Any], *names: str) -> str:
    """The first of these values that is text and not empty."""
    return next((text for name in names if (text := as_str(message.get(name)))), "")


def time_of(value: Any) -> float | None:
    """A time in seconds, milli-, micro- or nanoseconds, ISO 8601, or an object that holds one."""
    if isinstance(value, dict):
        value = first(as_dict(value), ("created", "start", "$date", "time"))
    if isinstance(value, str) and value.strip().isdecimal() and len(value) < 25:
        value = int(value)
    number = as_float(value)
    if number is None:
        return from_iso(value)
    while abs(number) > 1e14:  # finer than milliseconds
        number /= 1000
    return from_iso(number)


def usage_of(value: Any) -> Usage | None:
    """Tokens under any of the names in `_USAGE`; None if there are none.

    An input that includes cached tokens is taken as it is; to a fresh one the cached are added.
    """
    usage = as_dict(value)
    count = {field: as_int(first(usage, names)) for field, names in _USAGE.items()}
    read, written, cost = count["read"], count["written"], as_float(first(usage, _COSTS))
    if read is None:
        read = as_int(as_dict(usage.get("prompt_tokens_details")).get("cached_tokens"))
    whole = count["whole"]
    if whole is None and count["fresh"] is not None:
        whole = count["fresh"] + (read or 0) + (written or 0)
    if whole is None and count["output"] is None and cost is None:
        return None
    return Usage(
        input_tokens=whole,
        output_tokens=count["output"],
        cache_read_input_tokens=read,
        cache_creation_input_tokens=written,
        reasoning_output_tokens=count["thought"],
        cost=cost,
    )


def calls_of(value: Any) -> Iterator[ToolCall]:
    """Tool calls in OpenAI's form (`function` inside) or flat."""
    if isinstance(value, str):
        value = decode_lenient(value.encode("utf-8", "replace"))
    for call in as_dicts(value):
        function = as_dict(call.get("function")) or call
        given = first(function, ("arguments", "input", "args", "parameters"))
        name = first_str(function, "name", "function_name", "toolName", "tool")
        call_id = first_str(call, "id", *_CALL_IDS) or None
        yield ToolCall(call_id, name, blocks.arguments(given))


def entry(message: dict[str, Any], agent: str, strange: blocks.Strange) -> Entry | None:
    """One message; None if its role is unknown."""
    role = _ROLES.get(as_str(first(message, ("role", "type", "sender", "source"))).lower())
    if role is None:
        return None
    content = first(message, ("content", "parts", "text", "message", "blocks"))
    at, native = time_of(first(message, _TIMES)), first(message, _IDS)
    common: dict[str, Any] = {
        "at": at,
        "native_id": str(native) if isinstance(native, str | int) else None,
        "parent": first_str(message, "parentId", "parent_id", "parentUuid") or None,
    }
    if role is Role.TOOL:
        shown, blobs = blocks.response(content)
        inner = [one for one in as_dicts(content) if as_str(one.get("type")) in blocks.RESULTS]
        if inner:
            _, results = blocks.parts(content, agent, strange)
            return Entry(role, (), tuple(results), **common)
        failed = bool(first(message, ("is_error", "isError", "error")))
        result = ToolCallResponse(first_str(message, *_CALL_IDS) or None, shown, failed)
        return Entry(role, (), (result, *blobs), **common)
    parts, results = blocks.parts(content, agent, strange)
    thought = first(message, _THOUGHTS)
    if isinstance(thought, str) and not any(isinstance(part, Reasoning) for part in parts):
        parts.insert(0, Reasoning(thought))
    parts += calls_of(first(message, ("tool_calls", "toolCalls")))
    return Entry(
        role,
        tuple(parts),
        tuple(results),
        model=first_str(message, "model", "modelId", "model_id", "modelID") or None
        if role is Role.ASSISTANT
        else None,
        usage=usage_of(first(message, ("usage", "tokens", "metrics", "tokenUsage")))
        if role is Role.ASSISTANT
        else None,
        **common,
    )


def error_entry(
    agent: str, message: str, at: float | None = None, data: Mapping[str, Any] | None = None
) -> Entry:
    """An error that the agent reports, as text and, with `data`, as an extension `<agent>.error`."""
    error = Extension(f"{agent}.error", {"message": message, **(data or {})})
    return Entry(Role.SYSTEM, (Text(message), error), at=at)


def joined_texts(parts: tuple[Part, ...]) -> tuple[Part, ...]:
    """The parts with neighbouring pieces of one text, or of one thought, put together."""
    merged: list[Part] = []
    for part in parts:
        last = merged[-1] if merged else None
        if isinstance(part, Text) and isinstance(last, Text):
            merged[-1] = Text(last.content + part.content)
        elif isinstance(part, Reasoning) and isinstance(last, Reasoning):
            merged[-1] = Reasoning(last.content + part.content)
        else:
            merged.append(part)
    return tuple(merged)


def texts(value: Any, depth: int = 4) -> str:
    """The text of a string, of blocks of text, or of a list of either."""
    if isinstance(value, str):
        return value
    if not depth:
        return ""
    if isinstance(value, dict):
        return texts(first(as_dict(value), ("text", "content", "value", "data")), depth - 1)
    return "\n".join(text for item in as_list(value) if (text := texts(item, depth - 1)))
