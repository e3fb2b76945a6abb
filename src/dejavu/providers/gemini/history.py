"""A history that Gemini CLI rewrote: which of its messages are copies of earlier ones.

After a cancelled tool (and wherever its client sets the history from plain contents) every message
gets another id, loses its thoughts, tokens and calls' results, and the whole list is written again:
in one `$set`, or message by message with a `$set` or `$patch` behind that says which ones count.
Messages of one role in a row may become one, as the first context and the first prompt do.
Such a list begins with a copy of the conversation's first message. A list that begins with a
summary, or with the first message itself, holds no copies, whatever is said twice in it. Pure;
O(messages).

Tested in: tests/providers/gemini/test_files.py
"""

from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256
from typing import Any

import msgspec

from ..formats.json_lines import as_dict, as_dicts, as_list, as_str

_ANSWERS = frozenset({"gemini", "qwen", "model", "assistant"})


def fingerprint(message: Mapping[str, Any]) -> bytes:
    """Eight bytes that tell what a message says, however it was written; b"" if it says nothing."""
    kind = as_str(message.get("type"))
    content = message.get("content")
    listed = as_list(content) if isinstance(content, list) else [content]
    text, calls, results = "", as_dicts(message.get("toolCalls")), list[Any]()
    seen_calls = bool(calls)
    for block in listed:
        part = as_dict(block)
        if not part.get("thought"):
            text += block if isinstance(block, str) else as_str(part.get("text"))
        if (call := as_dict(part.get("functionCall"))) and not seen_calls:
            calls.append(call)
        if answer := as_dict(part.get("functionResponse")):
            results.append([answer.get("name"), answer.get("response")])
    called = [[call.get("name"), call.get("args")] for call in calls]
    said = text.replace("\u200d", "").strip()
    if not said and not called and not results:
        return b""
    role = "model" if kind in _ANSWERS else kind
    print_ = msgspec.json.encode([role, said, called, results], order="deterministic")
    return sha256(print_).digest()[:8]


def is_said(message: Mapping[str, Any]) -> bool:
    """Whether a message is an answer, or a prompt in words: no result of a call, and no notice."""
    if as_str(message.get("type")) in _ANSWERS:
        return True
    content = message.get("content")
    listed = as_list(content) if isinstance(content, list) else [content]
    words = (one if isinstance(one, str) else as_str(as_dict(one).get("text")) for one in listed)
    return message.get("type") == "user" and any(word.strip() for word in words)


def updated_fields(message: Mapping[str, Any], update: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of `message` that an update of it changes; calls are updated one by one."""
    changed = {name: value for name, value in update.items() if name != "toolCalls"}
    changes = {as_str(call.get("id")): call for call in as_dicts(update.get("toolCalls"))}
    if changes:
        calls = as_dicts(message.get("toolCalls"))
        changed["toolCalls"] = [
            {**call, **changes.get(as_str(call.get("id")), {})} for call in calls
        ]
    return changed


def fingerprints(message: Mapping[str, Any] | None, known: bytes) -> tuple[bytes, ...]:
    """The fingerprint of a message, then those of its parts: each may be a copy of one message.

    Of a message that is not held any more its fingerprint is known.
    """
    if message is None:
        return (known,)
    content = message.get("content")
    whole = fingerprint(message)
    if not isinstance(content, list) or message.get("toolCalls"):
        return (whole,)
    parts = [fingerprint({**message, "content": [part]}) for part in as_list(content)]
    return (whole, *filter(None, parts)) if len(parts) > 1 else (whole,)


def copies(
    earlier: Sequence[tuple[str, bytes]], listed: Iterable[tuple[str, tuple[bytes, ...]]]
) -> dict[str, str]:
    """The id of each copy in a complete history, and the id of the message that it copies.

    `earlier` are `(id, fingerprint)` in the order they were first told, `listed`
    `(id, fingerprints)`. Of a copy of several messages the last one is named.
    """
    history = list(listed)
    if not history or not earlier or history[0][0] == earlier[0][0]:
        return {}
    if not earlier[0][1] or earlier[0][1] not in history[0][1][:2]:
        return {}
    own = {name for name, _ in history}
    place_of = {name: place for place, (name, _) in enumerate(earlier)}
    result: dict[str, str] = {}
    start = 0
    for name, prints in history:
        told = [
            (place, print_)
            for place, (other, print_) in enumerate(earlier[: place_of.get(name)])
            if place >= start and other not in own
        ]
        place = _last_of(told, prints[:1])
        if place is None:
            place = _last_of(told, prints[1:])
        if place is not None:
            result[name], start = earlier[place][0], place + 1
    return result


def _last_of(told: Iterable[tuple[int, bytes]], prints: Sequence[bytes]) -> int | None:
    """The place of the last of the messages that say, in this order, what the prints tell."""
    place, rest = None, iter(told)
    for print_ in prints:
        place = next((place for place, other in rest if print_ and other == print_), None)
        if place is None:
            return None
    return place
