"""Turns from a message of OpenCode 2: a kind, and one object with all its content in order.

Converts the kind and the object into turns without id and position. Pure; unknown kinds are kept as
they are and counted.
"""

from collections import Counter
from collections.abc import Iterator
from typing import Any

from dejavu.model import (
    Extension,
    Part,
    Reasoning,
    Role,
    Text,
    ToolCall,
    ToolCallResponse,
    Turn,
)
from dejavu.model.compaction import compacted

from ..formats.json_lines import as_dict, as_dicts, as_int, as_str, decode_lenient
from .parts import WholeOutput, blob, error, usage

_QUIET = frozenset({"agent-switched", "model-switched", "location-switched", "idle"})


def turns(
    kind: str,
    data: dict[str, Any],
    drift: Counter[str],
    whole: WholeOutput = lambda _, shown: shown,
) -> Iterator[Turn]:
    """What a message says, in order; `whole` completes what a tool gave back."""
    if kind == "user":
        parts = _prompt(data)
        if parts:
            yield Turn(role=Role.USER, parts=parts)
    elif kind == "assistant":
        yield from _answer(data, drift, whole)
    elif kind in ("system", "synthetic", "skill"):
        yield Turn(role=Role.SYSTEM, parts=(Text(as_str(data.get("text"))),))
    elif kind == "shell":
        yield Turn(role=Role.SYSTEM, parts=(_shell(data),))
    elif kind == "compaction":
        yield from _compaction(data)
    elif kind not in _QUIET:
        drift[f"message/{kind}"] += 1
        yield Turn(role=Role.SYSTEM, parts=(Extension(f"opencode.{kind}", data),))


def _prompt(data: dict[str, Any]) -> tuple[Part, ...]:
    words = as_str(data.get("text"))
    parts: list[Part] = [Text(words)] if words else []
    parts += [
        blob(file) or Extension("opencode.file", file) for file in as_dicts(data.get("files"))
    ]
    for name in ("agents", "skills", "references"):
        parts += [Extension(f"opencode.{name[:-1]}", item) for item in as_dicts(data.get(name))]
    return tuple(parts)


def _answer(data: dict[str, Any], drift: Counter[str], whole: WholeOutput) -> Iterator[Turn]:
    """Assistant turns, each followed by what the tools it called gave back."""
    model = as_str(as_dict(data.get("model")).get("id")) or None
    spent = usage(data)
    message_parts: list[Part] = []
    results: list[Part] = []

    def flushed() -> Iterator[Turn]:
        nonlocal spent
        if message_parts:
            yield Turn(role=Role.ASSISTANT, parts=tuple(message_parts), model=model, usage=spent)
            spent = None
        if results:
            yield Turn(role=Role.TOOL, parts=tuple(results))
        message_parts.clear()
        results.clear()

    for part in as_dicts(data.get("content")):
        kind = as_str(part.get("type"))
        if results and kind != "tool":
            yield from flushed()
        if kind == "text":
            message_parts.append(Text(as_str(part.get("text"))))
        elif kind == "reasoning":
            message_parts.append(Reasoning(as_str(part.get("text"))))
        elif kind == "tool":
            message_parts.append(_call(part))
            results += _results(part, whole)
        else:
            drift[f"content/{kind}"] += 1
            message_parts.append(Extension(f"opencode.{kind}", part))
    yield from flushed()
    if failed := as_dict(data.get("error")):
        yield Turn(role=Role.SYSTEM, parts=error(failed))


def _call(part: dict[str, Any]) -> ToolCall:
    """A call; its arguments are still a text while they stream."""
    call_input = as_dict(part.get("state")).get("input")
    if isinstance(call_input, str):
        call_input = decode_lenient(call_input.encode()) or call_input
    return ToolCall(_id(part), as_str(part.get("name")), call_input)


def _id(part: dict[str, Any]) -> str | None:
    """The call's id: betas kept it next to the content's own id."""
    return as_str(part.get("callID")) or as_str(part.get("id")) or None


def _results(part: dict[str, Any], whole: WholeOutput) -> Iterator[Part]:
    """What a tool gave back, if it has: its text, its files, its diff."""
    state = as_dict(part.get("state"))
    status, content = state.get("status"), as_dicts(state.get("content"))
    words = [as_str(block.get("text")) for block in content if block.get("type") == "text"]
    if status == "error":
        message = as_str(as_dict(state.get("error")).get("message"))
        yield ToolCallResponse(_id(part), "\n".join([*words, message]) or None, True)
    elif status == "completed":
        detail = state.get("result") or state.get("structured") or state.get("metadata")
        yield ToolCallResponse(_id(part), whole(state, "\n".join(words) if words else detail))
    else:
        return
    yield from (file for block in content if (file := blob(block)))
    metadata = as_dict(state.get("metadata")) or as_dict(state.get("structured"))
    if diff := as_str(metadata.get("diff")):
        path = as_dict(state.get("input")).get("filePath")
        yield Extension("opencode.diff", {"path": path, "diff": diff})


def _shell(data: dict[str, Any]) -> Part:
    """A command the person ran from the composer."""
    output = data.get("output")
    details = {
        "command": as_str(data.get("command")),
        "output": as_dict(output).get("output", output),
        "exit": as_int(data.get("exit")),
    }
    return Extension("opencode.shell", details)


def _compaction(data: dict[str, Any]) -> Iterator[Turn]:
    if failed := as_dict(data.get("error")):
        yield Turn(role=Role.SYSTEM, parts=error(failed))
    elif text := as_str(data.get("summary")):
        yield Turn(role=Role.SYSTEM, parts=(Text(text),), meta=compacted())
