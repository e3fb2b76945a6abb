"""Values of unknown shape, read as the shape one hopes for. Never raises; O(1) but `rows`."""

import math
from typing import Annotated, Any, cast

import msgspec

Count = Annotated[int, msgspec.Meta(ge=0, le=1 << 61)]
"""A number of tokens; a larger one is an error, and fits no store (sums must fit in 64 bits)."""


def as_dict(value: Any) -> dict[str, Any]:
    """`value` if it is an object, else an empty one."""
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def as_list(value: Any) -> list[Any]:
    """The items of `value` if it is a list (of JSON) or a tuple (of ours), else none."""
    return [*value] if isinstance(value, list | tuple) else []


def as_dicts(value: Any) -> list[dict[str, Any]]:
    """The objects in `value`, if it is a list."""
    return [as_dict(item) for item in as_list(value) if isinstance(item, dict)]


def as_str(value: Any) -> str:
    """`value` if it is text, else ""."""
    return value if isinstance(value, str) else ""


def as_int(value: Any) -> int | None:
    """`value` as a whole number, if it is a number that fits in 63 bits."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    # The comparison first: a whole number of any size is compared exactly, and not as a float.
    return int(value) if abs(value) < 1 << 62 else None


def as_float(value: Any) -> float | None:
    """`value` as a float, if it is a finite number that a float can hold."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        result = float(value)
    except OverflowError:
        return None
    return result if math.isfinite(result) else None
