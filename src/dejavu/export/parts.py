"""Labels and texts of parts, from which every form of a conversation is made.

Nothing here is sanitised: each form does that last.
"""

import json
from collections.abc import Sequence
from typing import Any, NamedTuple

from dejavu.model import (
    Blob,
    Extension,
    Part,
    Reasoning,
    Text,
    ToolCall,
    ToolCallResponse,
    is_json_array,
    is_json_object,
)

from .highlight import language_of

_COMMANDS = ("command", "cmd", "script")
_CONTENTS = ("content", "contents", "file_text", "new_source")
_PATHS = ("file_path", "filePath", "path", "absolute_path", "notebook_path", "filename")
_TELLING = ("command", "file_path", "pattern", "query", "path")
"""The arguments that say what a call is about, the most telling first."""


def value_text(value: Any) -> str:
    """A tool's argument or response as text: text stays, the rest is indented JSON."""
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False, indent=2)


def shell_line(words: Sequence[str]) -> str:
    """A command in words as a person types it: the script of `bash -lc`, else the words joined."""
    if len(words) == 3 and words[1] in ("-c", "-lc", "-lic"):
        return words[2]
    return " ".join(words)


def _command(value: Any) -> str | None:
    """A command that an argument holds as text or as words; None for anything else."""
    if isinstance(value, str):
        return value
    if is_json_array(value) and value and all(isinstance(word, str) for word in value):
        return shell_line(value)
    return None


def call_summary(call: ToolCall) -> str:
    """A call in one line: `Bash: pytest -q`; the first short argument says what it is about."""
    if is_json_object(fields := call.arguments):
        named = (fields[name] for name in _TELLING if fields.get(name))
        value = next(named, next(iter(fields.values()), ""))
        text = _command(value) or value_text(value)
    else:
        text = value_text(call.arguments)
    head = text.strip().splitlines()[0] if text.strip() else ""
    return f"{call.name}: {head}" if head else call.name


def label_and_body(part: Part) -> tuple[str, str]:
    """What kind of part it is (empty for plain text) and its text."""
    match part:
        case Text(content=content):
            return "", content
        case Reasoning(content=content):
            return "reasoning", content
        case ToolCall():
            return f"tool call · {part.name}", value_text(part.arguments)
        case ToolCallResponse(response=response, is_error=failed):
            return "tool error" if failed else "tool response", value_text(response)
        case Blob(mime_type=mime_type, content=content):
            return "attachment", f"{mime_type or 'data'}, {len(content) * 3 // 4} bytes"
        case Extension(kind=kind, data=data):
            return kind, value_text(data)


class CodeBlock(NamedTuple):
    """A text of a call that is code: `name` of its argument, and its language (empty: unknown)."""

    name: str
    content: str
    language: str


def call_blocks(call: ToolCall) -> list[CodeBlock]:
    """What a call holds, to be read: its commands and files each as they are, the rest as JSON.

    Empty where the call has no arguments.
    """
    fields = call.arguments
    if not is_json_object(fields):
        body = value_text(fields)
        return [CodeBlock("", body, "" if isinstance(fields, str) else "json")] if body else []
    path = next((fields[name] for name in _PATHS if isinstance(fields.get(name), str)), "")
    blocks: list[CodeBlock] = []
    rest: dict[str, Any] = {}
    for name, value in fields.items():
        if name in _COMMANDS and (line := _command(value)) is not None:
            blocks.append(CodeBlock(name, line, "bash"))
        elif name in _CONTENTS and isinstance(value, str) and path:
            blocks.append(CodeBlock(name, value, language_of(str(path))))
        else:
            rest[name] = value
    if rest:
        blocks.insert(0, CodeBlock("", value_text(rest), "json"))
    return blocks
