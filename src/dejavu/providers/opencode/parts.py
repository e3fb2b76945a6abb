"""Parts that OpenCode's messages of every generation have: tools, files, tokens, errors.

Converts plain objects of its stores, its stream and its events into parts of the model. Pure.
"""

from collections.abc import Callable
from typing import Any

from dejavu.model import Blob, Extension, Part, Text, ToolCall, ToolCallResponse, Usage

from ..formats.json_lines import as_dict, as_dicts, as_float, as_int, as_list, as_str

WholeOutput = Callable[[dict[str, Any], Any], Any]
"""`(a tool's state, what it shows)`: the output, all of it where it can be read."""


def as_shown(state: dict[str, Any], shown: Any) -> Any:  # noqa: ARG001 - a `WholeOutput`
    """The output as it is shown: for traces whose files are not at hand."""
    return shown


def spilled_path(state: dict[str, Any]) -> str:
    """The file that has the whole of a tool's output; "" where the state has it all."""
    metadata = as_dict(state.get("metadata")) or as_dict(state.get("structured"))
    if metadata.get("truncated") is True:
        return as_str(metadata.get("outputPath"))
    paths = as_list(state.get("outputPaths"))  # of 2.x
    return as_str(paths[0]) if len(paths) == 1 else ""


def blob(part: dict[str, Any]) -> Blob | None:
    """A file that is inline."""
    url = as_str(part.get("url")) or as_str(part.get("uri"))
    if not url.startswith("data:") or ";base64," not in url:
        return None
    kind, _, data = url[5:].partition(";base64,")
    return Blob(as_str(part.get("mime")) or kind, data, kind.partition("/")[0] or "image")


def tool_call(part: dict[str, Any]) -> ToolCall:
    """The call of a tool's part."""
    state = as_dict(part.get("state"))
    name = as_str(part.get("tool"))
    return ToolCall(as_str(part.get("callID")) or None, name, state.get("input"))


def tool_results(part: dict[str, Any], whole: WholeOutput = as_shown) -> list[Part]:
    """What a tool gave back, if it has: its text, its files, its diff."""
    state = as_dict(part.get("state"))
    status, call = state.get("status"), as_str(part.get("callID")) or None
    if status == "error":
        return [ToolCallResponse(call, state.get("error"), True)]
    if status != "completed":
        return []
    results: list[Part] = [ToolCallResponse(call, whole(state, state.get("output")))]
    results += [
        file for attachment in as_dicts(state.get("attachments")) if (file := blob(attachment))
    ]
    if diff := as_str(as_dict(state.get("metadata")).get("diff")):
        path = as_dict(state.get("input")).get("filePath")
        results.append(Extension("opencode.diff", {"path": path, "diff": diff}))
    return results


def usage(data: dict[str, Any]) -> Usage | None:
    """A message's tokens and cost; OpenCode counts cached tokens apart from the input."""
    tokens = as_dict(data.get("tokens"))
    if not tokens:
        return None
    cache = as_dict(tokens.get("cache"))
    fresh, read, written = (
        as_int(value) or 0 for value in (tokens.get("input"), cache.get("read"), cache.get("write"))
    )
    cost = data.get("cost")
    return Usage(
        input_tokens=fresh + read + written,
        output_tokens=as_int(tokens.get("output")),
        cache_read_input_tokens=read,
        cache_creation_input_tokens=written,
        reasoning_output_tokens=as_int(tokens.get("reasoning")),
        cost=as_float(cost),
    )


def error(details: dict[str, Any]) -> tuple[Part, Part]:
    """An error's words, and its other facts."""
    detail = as_dict(details.get("data"))
    name = as_str(details.get("name")) or as_str(details.get("type"))
    message = as_str(detail.get("message")) or as_str(details.get("message")) or name
    facts: dict[str, Any] = {"message": message, "name": name}
    status = as_int(detail.get("statusCode") or details.get("statusCode") or details.get("status"))
    if status is not None:
        facts["status"] = status
    return Text(message), Extension("opencode.error", facts)


def title(session: dict[str, Any]) -> str:
    """A session's title, unless it is the one every session begins with."""
    text = as_str(session.get("title"))
    return "" if text.startswith(("New session - ", "Child session - ")) else text
