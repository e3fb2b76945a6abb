"""Values of unknown shape, read as the shape one hopes for. Never raises; O(1) but `rows`."""

import math
from typing import Any, cast


def mapping(value: Any) -> dict[str, Any]:
    """`value` if it is an object, else an empty one."""
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def items(value: Any) -> list[Any]:
    """`value` if it is a list, else an empty one."""
    return [*value] if isinstance(value, list) else []


def rows(value: Any) -> list[dict[str, Any]]:
    """The objects in `value`, if it is a list."""
    return [mapping(item) for item in items(value) if isinstance(item, dict)]


def text(value: Any) -> str:
    """`value` if it is text, else ""."""
    return value if isinstance(value, str) else ""


def integer(value: Any) -> int | None:
    """`value` as a whole number, if it is a number that fits in 63 bits."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return int(value) if math.isfinite(value) and abs(value) < 1 << 62 else None
