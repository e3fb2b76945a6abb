"""The MCP server's tools by profile, and their list from the methods' signatures.

Written from signatures because the official SDK's schemas repeat every name as a title and describe
every result, which trebles what a session pays for the list of tools.
"""

import inspect
from collections.abc import Callable, Mapping
from typing import Any, get_args, get_type_hints

from .answers import Answer
from .event_tools import EventTools
from .tools import Tools

_READ = {"readOnlyHint": True}
_ADD = {"destructiveHint": False}
_DELETE = {"destructiveHint": True}
_DEFAULT: Mapping[str, dict[str, bool]] = {
    "search_memory": _READ, "search_conversations": _READ, "unwind_from_event": _READ,
    "get_session_timeline": _READ, "read_conversation": _READ, "remember": _ADD, "confirm": _ADD,
    "reject": _ADD, "forget": _DELETE,
}  # fmt: skip
_FULL = {
    **_DEFAULT,
    **dict.fromkeys(("list_conversations", "read_thread", "recall", "get_memory_context"), _READ),
}
_EVENTS: Mapping[str, dict[str, bool]] = {
    "searchMemory": _READ, "getMemoryContext": _READ, "unwindFromEvent": _READ,
    "getSessionTimeline": _READ,
}  # fmt: skip
PROFILES: Mapping[str, tuple[type[Tools | EventTools], Mapping[str, dict[str, bool]]]] = {
    "default": (Tools, _DEFAULT),
    "full": (Tools, _FULL),
    "events": (EventTools, _EVENTS),
}
"""Each profile's tools, with the annotations of each. The default is what every session of every
agent pays for: its list stays below 700 tokens."""
_TYPES = {str: "string", int: "integer", float: "number", bool: "boolean"}


def tool_list(profile: str) -> list[dict[str, Any]]:
    """Return a profile's tools as `tools/list` names them."""
    class_, names = PROFILES[profile]
    tools: list[dict[str, Any]] = []
    for name, hints in names.items():
        method = getattr(class_, name)
        tools.append(
            {
                "name": name,
                "description": (inspect.getdoc(method) or "").split("\n\n")[0],
                "inputSchema": input_schema(method),
                "annotations": hints,
            }
        )
    return tools


def input_schema(method: Callable[..., Answer]) -> dict[str, Any]:
    """Return the JSON Schema of a tool's arguments, from its signature.

    Raises:
        KeyError: a parameter is of no type that JSON has.
        IndexError: a parameter has no description.
    """
    hints = get_type_hints(method, include_extras=True)
    properties: dict[str, Any] = {}
    required: list[str] = []
    for name, parameter in inspect.signature(method).parameters.items():
        if name == "self":
            continue
        type_, description = get_args(hints[name])[:2]
        properties[name] = {"type": _TYPES[type_], "description": description}
        if parameter.default is inspect.Parameter.empty:
            required.append(name)
    return {"type": "object", "properties": properties, "required": required}
