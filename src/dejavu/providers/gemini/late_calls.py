"""Calls that are added to a message when others stand behind it.

In ACP mode Gemini CLI writes every call of a session into one message, which grows: each was made
where it was told first. `split` takes such a message apart at the numbers of calls it had when it
grew, `joined` puts it together again. Pure; O(calls of the message).

Tested in: tests/providers/gemini/test_files.py
"""

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Any

from ..formats.json_lines import as_dicts

CALLS = "toolCalls"


def piece_name(name: str, number: int) -> str:
    """The id of a message's piece; its first is the message itself."""
    return f"{name}#{number}" if number else name


def split(message: dict[str, Any], name: str, bounds: Sequence[int]) -> list[dict[str, Any]]:
    """The message with the calls before the first bound, and one of calls for each bound."""
    calls = as_dicts(message.get(CALLS))
    if not bounds or len(calls) <= bounds[0]:
        return [message]
    pieces = [{**message, CALLS: calls[: bounds[0]]}]
    common: dict[str, Any] = {key: message[key] for key in ("type", "model") if key in message}
    for number, (start, stop) in enumerate(pairwise((*bounds, len(calls))), 1):
        if part := calls[start:stop]:
            at = part[0].get("timestamp") or message.get("timestamp")
            own = {"id": piece_name(name, number), "timestamp": at, CALLS: part}
            pieces.append({**common, **own})
    return pieces


def joined(pieces: Iterable[dict[str, Any]]) -> dict[str, Any]:
    """The inverse of `split`."""
    first, *others = pieces
    if not others:
        return first
    return {**first, CALLS: [call for one in (first, *others) for call in as_dicts(one.get(CALLS))]}
