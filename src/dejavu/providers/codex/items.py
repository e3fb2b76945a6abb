"""Codex's items in the record's words: pure conversions, no order and no state.

Converts the objects of a rollout into parts: those of the model's lane (`response_item`) and of the
interface's (`event_msg`). Shapes from the rollouts of 2025 to 0.169 and from the fields that
Codex's own source names.
"""

import json
from typing import Any

from dejavu.model import Blob, Extension, Part, Text, Usage

from ..formats.json_lines import as_dict, as_dicts, as_int, as_list, as_str

CALLS = frozenset(
    {
        "function_call", "custom_tool_call", "local_shell_call", "web_search_call",
        "tool_search_call", "image_generation_call", "mcp_call",
    }
)  # fmt: skip
OUTPUTS = frozenset(
    {"function_call_output", "custom_tool_call_output", "local_shell_call_output",
     "tool_search_output", "tool_search_call_output"}
)  # fmt: skip
EXECUTED = frozenset({"CommandExecution", "FileChange", "McpToolCall", "DynamicToolCall"})
"""Items of tools that really ran; most repeat a call of the model's lane under its id."""

_INJECTED = (
    "<environment_context>", "<user_instructions>", "<permissions instructions>", "<INSTRUCTIONS>",
    "<collaboration_mode>", "<turn_aborted>", "<subagent_notification>", "<skill>", "<apps>",
    "<user_shell_command>", "<model_switch>", "<personality_spec>", "<hook_prompt>",
    "# AGENTS.md instructions",
)  # fmt: skip


def injected(payload: dict[str, Any]) -> bool:
    """Whether a user message was written by the harness."""
    passthrough = as_dict(payload.get("internal_chat_message_metadata_passthrough"))
    origins = [
        as_dict(as_dict(entry).get("provenance"))
        for entry in as_dicts(passthrough.get("content_item_metadata"))
    ]
    if origins and all(origin.get("type") not in (None, "user") for origin in origins):
        return True
    return message_text(payload).lstrip().startswith(_INJECTED)


def message_text(payload: dict[str, Any]) -> str:
    """The text of a message, its blocks joined."""
    content = payload.get("content")
    if isinstance(content, str):
        return content
    return "\n".join(as_str(block.get("text")) for block in as_dicts(content) if "text" in block)


def content_parts(payload: dict[str, Any]) -> list[Part]:
    """A message's blocks as parts."""
    content = payload.get("content")
    if isinstance(content, str):
        return [Text(content)] if content else []
    parts: list[Part] = []
    for block in as_dicts(content):
        kind = as_str(block.get("type"))
        if "text" in block:
            parts.append(Text(as_str(block.get("text"))))
        elif kind in ("input_image", "image", "local_image", "LocalImage", "Image"):
            parts.append(image(block))
        elif kind == "refusal":
            parts.append(Text(as_str(block.get("refusal"))))
        else:
            parts.append(Extension(f"codex.{kind or 'block'}", block))
    return parts


def image(block: dict[str, Any]) -> Part:
    """An image: inline where it is a data URL, else by its address."""
    url = block.get("image_url") or block.get("url") or block.get("path")
    address = as_str(as_dict(url).get("url")) or as_str(url)
    if address.startswith("data:") and ";base64," in address:
        kind, _, data = address[5:].partition(";base64,")
        return Blob(kind, data)
    return Extension("codex.image", {"url": address})


def thoughts(payload: dict[str, Any]) -> list[str]:
    """The sections of a reasoning item, whichever lane wrote it; the raw ones if there are any."""
    raw = [
        as_str(as_dict(section).get("text")) or as_str(section)
        for section in as_list(payload.get("content"))
    ]
    raw += [as_str(section) for section in as_list(payload.get("raw_content"))]
    listed_summary = as_list(payload.get("summary")) or as_list(payload.get("summary_text"))
    summary = [
        as_str(as_dict(section).get("text")) or as_str(section) for section in listed_summary
    ]
    return [section for section in [*summary, *raw] if section]


def arguments(payload: dict[str, Any]) -> Any:
    """What a call was given: the object in its JSON text where there is one."""
    value = payload.get("arguments", payload.get("input", payload.get("action")))
    if isinstance(value, str) and value[:1] in "{[":
        try:
            return json.loads(value)
        except ValueError:
            return value
    return value if value is not None else payload.get("query", payload.get("summary"))


def output(payload: dict[str, Any]) -> tuple[Any, bool]:
    """What a call gave back, and whether it failed."""
    value = payload.get("output", payload.get("tools"))
    failed = as_dict(value).get("success") is False
    if isinstance(value, str) and value.startswith('{"output":'):
        try:  # 2025: text and exit code in one JSON text
            inner = as_dict(json.loads(value))
        except ValueError:
            return value, False
        code = as_int(as_dict(inner.get("metadata")).get("exit_code"))
        return inner.get("output"), bool(code)
    if "content" in (fields := as_dict(value)):
        value = fields["content"]
    blocks = as_dicts(value)
    if blocks and all("text" in block for block in blocks):
        return "\n".join(as_str(block.get("text")) for block in blocks), failed
    return value, failed


def executed(item: dict[str, Any]) -> tuple[str, Any, Any, bool]:
    """Name, arguments, output and failure of an item of a tool that ran."""
    kind = as_str(item.get("type"))
    if kind == "CommandExecution":
        command = item.get("command")
        words = as_list(command)
        # A shell wrapper says nothing: what was run is its last argument.
        line = words[-1] if len(words) == 3 and words[1] in ("-lc", "-c") else command
        code = as_int(item.get("exit_code"))
        return "exec_command", {"cmd": line}, item.get("aggregated_output"), bool(code)
    if kind == "McpToolCall":
        name = "__".join(filter(None, (as_str(item.get("server")), as_str(item.get("tool")))))
        answer = item.get("result") if item.get("result") is not None else item.get("error")
        return name, item.get("arguments"), answer, item.get("error") is not None
    if kind == "FileChange":
        return "apply_patch", {"changes": item.get("changes")}, item.get("status"), False
    return as_str(item.get("tool")) or kind, item.get("arguments"), item.get("result"), False


def diffs(changes: Any) -> list[Part]:
    """The changes of a patch, a part a file."""
    by_path = as_dict(changes)
    listed = list(by_path.items()) or [
        (as_str(file_change.get("path")), file_change) for file_change in as_dicts(changes)
    ]
    parts: list[Part] = []
    for path, change in listed:
        detail = as_dict(change)
        nested = next((name for name in ("add", "update", "delete") if name in detail), None)
        kind = nested or detail.get("kind", detail.get("type"))
        inner = as_dict(detail[nested]) if nested else detail  # 2025 nests: {"update": {...}}
        body = next(
            (inner[name] for name in ("unified_diff", "diff", "content") if name in inner), ""
        )
        parts.append(Extension("codex.diff", {"path": path, "kind": kind, "diff": body}))
    return parts


def usage(counted: dict[str, Any]) -> Usage:
    """Tokens of one response; Codex counts cached ones among the input already."""
    return Usage(
        input_tokens=as_int(counted.get("input_tokens")),
        output_tokens=as_int(counted.get("output_tokens")),
        cache_read_input_tokens=as_int(counted.get("cached_input_tokens")),
        cache_creation_input_tokens=as_int(counted.get("cache_write_input_tokens")),
        reasoning_output_tokens=as_int(counted.get("reasoning_output_tokens")),
    )


def error_words(message: str) -> str:
    """The words of an error that may be a provider's JSON answer."""
    try:
        document = as_dict(json.loads(message)) if message[:1] == "{" else {}
    except ValueError:
        return message
    return (
        as_str(as_dict(document.get("error")).get("message"))
        or as_str(document.get("message"))
        or message
    )
