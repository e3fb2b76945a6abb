"""Parts that OpenCode's messages of every generation have: files, tokens, errors.

Takes plain objects as they stand in its stores; gives parts of ours. Pure.
"""

from typing import Any

from dejavu.model import Blob, Extension, Part, Text, Usage

from ..formats.json_coerce import integer, mapping, number, text


def blob(part: dict[str, Any]) -> Blob | None:
    """A file that is inline."""
    url = text(part.get("url")) or text(part.get("uri"))
    if not url.startswith("data:") or ";base64," not in url:
        return None
    kind, _, data = url[5:].partition(";base64,")
    return Blob(text(part.get("mime")) or kind, data, kind.partition("/")[0] or "image")


def usage(data: dict[str, Any]) -> Usage | None:
    """A message's tokens and cost; OpenCode counts cached tokens apart from the input."""
    tokens = mapping(data.get("tokens"))
    if not tokens:
        return None
    cache = mapping(tokens.get("cache"))
    fresh, read, written = (
        integer(value) or 0
        for value in (tokens.get("input"), cache.get("read"), cache.get("write"))
    )
    cost = data.get("cost")
    return Usage(
        input_tokens=fresh + read + written,
        output_tokens=integer(tokens.get("output")),
        cache_read_input_tokens=read,
        cache_creation_input_tokens=written,
        reasoning_output_tokens=integer(tokens.get("reasoning")),
        cost=number(cost),
    )


def error(told: dict[str, Any]) -> tuple[Part, Part]:
    """An error's words, and its facts beside them."""
    detail = mapping(told.get("data"))
    name = text(told.get("name")) or text(told.get("type"))
    message = text(detail.get("message")) or text(told.get("message")) or name
    facts: dict[str, Any] = {"message": message, "name": name}
    status = integer(detail.get("statusCode") or told.get("statusCode") or told.get("status"))
    if status is not None:
        facts["status"] = status
    return Text(message), Extension("opencode.error", facts)
