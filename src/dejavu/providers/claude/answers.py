"""What the lines of one answer of Claude Code add up to.

Merges the parts and token counts of a message's lines. An answer is written one block a line, some
lines again while it streams, each with the tokens counted so far. Pure; O(parts of the message) a
line.
"""

from collections.abc import Callable
from operator import sub
from typing import Any

from dejavu.model import Part, Reasoning, Text, ToolCall, Usage


def usage_max(first: Usage | None, second: Usage | None) -> Usage | None:
    """Of two counts of one response, each growing while it streams, the greater."""
    if first is None or second is None:
        return second if first is None else first
    return _each(first, second, max)


def usage_delta(total: Usage | None, before: Usage | None) -> Usage | None:
    """What `total` has beyond `before`, so that turns of one message add up to it."""
    return total if total is None or before is None else _each(total, before, sub)


def _each(first: Usage, second: Usage, joined: Callable[[Any, Any], Any]) -> Usage:
    fields = {
        name: a if b is None else b if a is None else joined(a, b)
        for name in first.__struct_fields__
        for a, b in ((getattr(first, name), getattr(second, name)),)
    }
    return Usage(**fields)


def merged(earlier: tuple[Part, ...], more: list[Part]) -> tuple[Part, ...]:
    """A message's parts with those of a further line; a line written again adds nothing."""
    parts = list(earlier)
    for part in more:
        if isinstance(part, ToolCall):
            calls = {old.id: i for i, old in enumerate(parts) if isinstance(old, ToolCall)}
            if part.id and part.id in calls:
                parts[calls[part.id]] = part
                continue
        elif part in parts:
            continue
        elif _grown(parts[-1] if parts else None, part):
            parts[-1] = part
            continue
        parts.append(part)
    return tuple(parts)


def _grown(last: Part | None, part: Part) -> bool:
    """Whether `part` is `last` as it stood later in the stream."""
    for kind in (Text, Reasoning):
        if isinstance(last, kind) and isinstance(part, kind):
            return part.content.startswith(last.content)
    return False
