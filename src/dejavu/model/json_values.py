"""JSON values: what kind one is, the strings in it, and one with its strings changed.

The one home of walks over any JSON value. Must not know what a string means: which names stand for
secrets or paths is the caller's concern.
"""

from collections.abc import Callable, Iterator
from typing import Any, TypeGuard

import msgspec


def is_json_object(value: object) -> TypeGuard[dict[str, Any]]:
    """Whether a JSON value is an object."""
    return isinstance(value, dict)


def is_json_array(value: object) -> TypeGuard[list[Any]]:
    """Whether a JSON value is an array."""
    return isinstance(value, list)


def is_json(text: bytes) -> bool:
    """Whether it is one JSON value, whatever it says. Builds nothing of it."""
    try:
        msgspec.json.decode(text, type=msgspec.Raw)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return False
    return True


def strings_in(value: Any) -> Iterator[str]:
    """Yield the strings in a JSON value in order, however deep; keys are left out. O(value)."""
    if isinstance(value, str):  # most are: a third of the cost
        yield value
        return
    waiting = [value]
    while waiting:
        item = waiting.pop()
        if isinstance(item, str):
            yield item
        elif is_json_object(item):
            waiting += reversed(item.values())
        elif isinstance(item, list | tuple):
            waiting += reversed(item)  # pyright: ignore[reportUnknownArgumentType] - any JSON


def map_strings(value: Any, change: Callable[[str], str], *, keys: bool = False) -> Any:
    """Return a JSON value with `change` applied to its strings in order; to keys only with `keys`.

    Raises:
        RecursionError: the value is nested about a thousand levels deep.
    """
    if isinstance(value, str):
        return change(value)
    if is_json_array(value):
        return [map_strings(item, change, keys=keys) for item in value]
    if is_json_object(value):
        return {
            change(key) if keys else key: map_strings(item, change, keys=keys)
            for key, item in value.items()
        }
    return value
