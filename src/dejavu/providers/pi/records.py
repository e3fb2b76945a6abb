"""Pi's messages as entries, the same in its session files and in its stream. Pure.

Tested in: tests/providers/pi/test_files.py
"""

from typing import Any

from dejavu.model import Extension, Part, Role, ToolCallResponse, Usage

from ..formats import content_blocks as blocks
from ..formats.entries import Entry, error_entry
from ..formats.json_lines import as_dict, as_float, as_int, as_str
from ..formats.streams.values import without_none


def message_entries(
    message: dict[str, Any], at: float | None, strange: blocks.Strange, **chain: Any
) -> list[Entry]:
    """One message; `chain` holds its `native_id` and `parent`, which the stream does not tell."""
    role = as_str(message.get("role"))
    parts, results = blocks.parts(message.get("content"), "pi", strange)
    if role == "assistant":
        meta = without_none(
            stop_reason=message.get("stopReason"), message_id=message.get("responseId")
        )
        answer = Entry(
            Role.ASSISTANT,
            tuple(parts),
            at=at,
            model=as_str(message.get("model")) or None,
            usage=_usage(as_dict(message.get("usage"))),
            meta={name: value for name, value in meta.items() if isinstance(value, str)},
            **chain,
        )
        error = as_str(message.get("errorMessage"))
        return [*([answer] if parts else []), *([error_entry("pi", error, at)] if error else [])]
    if role == "toolResult":
        output, blobs = blocks.response(message.get("content"))
        call, failed = as_str(message.get("toolCallId")) or None, bool(message.get("isError"))
        given: list[Part] = [ToolCallResponse(call, output, failed), *blobs]
        if diff := as_str(as_dict(message.get("details")).get("diff")):
            given.append(Extension("pi.diff", {"diff": diff}))
        return [Entry(Role.TOOL, results=tuple(given), at=at, **chain)]
    if role == "bashExecution":
        ran = {name: message.get(name) for name in ("command", "output", "exitCode")}
        return [Entry(Role.SYSTEM, (Extension("pi.bash", ran),), at=at, **chain)]
    typed = Role.USER if role == "user" else Role.SYSTEM
    return [Entry(typed, (*parts, *results), at=at, **chain)]


def _usage(usage: dict[str, Any]) -> Usage | None:
    if not usage:
        return None
    read, written = as_int(usage.get("cacheRead")), as_int(usage.get("cacheWrite"))
    return Usage(
        input_tokens=(as_int(usage.get("input")) or 0) + (read or 0) + (written or 0),
        output_tokens=as_int(usage.get("output")),
        cache_read_input_tokens=read,
        cache_creation_input_tokens=written,
        cost=as_float(as_dict(usage.get("cost")).get("total")),
    )
