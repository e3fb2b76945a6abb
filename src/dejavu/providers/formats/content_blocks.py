"""Content blocks as most agents write them: Anthropic's, with each agent's spelling.

Converts a message's content into its own parts and the tools' results, apart, because results are
turns of their own. Pure; a block of a type unknown is kept whole and named to the caller.
"""

from collections.abc import Callable
from typing import Any

from dejavu.model import Blob, Extension, Part, Reasoning, Text, ToolCall, ToolCallResponse

from .json_lines import as_dict, as_dicts, as_list, as_str, decode_lenient

Strange = Callable[[str], None]
"""Told the type of a block that is not known."""

_CALLS = frozenset({"tool_use", "toolCall", "tool-call", "tool_call", "server_tool_use"})
RESULTS = frozenset({"tool_result", "toolResult", "tool-result"})
_MEDIA = frozenset({"image", "document", "file", "audio", "video"})
_REDACTED = frozenset({"redacted_thinking", "redacted-reasoning"})


def parts(content: Any, agent: str, strange: Strange) -> tuple[list[Part], list[Part]]:
    """What a message says, and what it brings back from tools."""
    if isinstance(content, str):
        return ([Text(content)] if content else []), []
    message_parts: list[Part] = []
    results: list[Part] = []
    for block in as_dicts(content):
        kind = as_str(block.get("type"))
        if kind in RESULTS:
            answer, blobs = response(block.get("content", block.get("output")))
            call = _first(block, "tool_use_id", "toolCallId", "callId", "id")
            failed = bool(block.get("is_error") or block.get("isError"))
            results += [ToolCallResponse(call, answer, failed), *blobs]
        elif kind not in _REDACTED:
            message_parts += _said(block, kind, agent, strange)
    return message_parts, results


def _said(block: dict[str, Any], kind: str, agent: str, strange: Strange) -> list[Part]:
    if kind in ("text", "input_text", "output_text"):
        return [Text(as_str(block.get("text")))] if block.get("text") else []
    if kind in ("thinking", "reasoning", "think"):
        thought = _first(block, "thinking", "reasoning", "think", "text")
        return [Reasoning(thought)] if thought else []
    if kind in _CALLS:
        call = _first(block, "id", "toolCallId", "callId")
        call_input = block.get("input", block.get("arguments", block.get("args")))
        return [ToolCall(call, _first(block, "name", "toolName") or "", arguments(call_input))]
    if kind.removesuffix("_url") in _MEDIA:
        return [media(block, agent)]
    strange(f"block/{kind}")
    return [
        Extension(f"{agent}.{kind or 'block'}", {k: v for k, v in block.items() if k != "type"})
    ]


def arguments(raw: Any) -> Any:
    """A call's arguments: the object in their text where they are JSON text."""
    if isinstance(raw, str) and raw[:1] == "{":
        value = decode_lenient(raw.encode())
        return raw if value is None else value
    return raw


def response(content: Any) -> tuple[Any, list[Part]]:
    """A result's content as one response, and the images in it."""
    if not isinstance(content, list):
        return content, []
    texts: list[str] = []
    blobs: list[Part] = []
    for item in as_list(content):
        block = as_dict(item)
        if isinstance(block.get("text"), str):
            texts.append(as_str(block.get("text")))
        elif block.get("type") == "image":
            blobs.append(media(block, ""))
        else:
            return as_list(content), []
    return "\n".join(texts), blobs


def media(block: dict[str, Any], agent: str) -> Part:
    """An image or a document: inline where its bytes are here, else by its address."""
    kind = as_str(block.get("type"))
    source = as_dict(block.get("source")) or as_dict(block.get(kind)) or block
    data = as_str(source.get("data"))
    mime = _first(source, "media_type", "mediaType", "mimeType", "mime_type")
    if data:
        return Blob(mime, data, kind or "image")
    url = _first(source, "url", "image_url", "path") or ""
    return inline(url) or Extension(f"{agent}.{kind}", {"url": url})


def inline(url: str) -> Blob | None:
    """The bytes in a `data:` URL."""
    if not url.startswith("data:") or ";base64," not in url:
        return None
    kind, _, data = url[5:].partition(";base64,")
    modality = kind.partition("/")[0]
    return Blob(kind, data, modality if modality in ("image", "audio", "video") else "document")


def _first(block: dict[str, Any], *names: str) -> str | None:
    return next((text for name in names if (text := as_str(block.get(name)))), None)
