"""OTLP's JSON encoding of ids, times and attributes (opentelemetry-proto 1.x, JSON mapping).

Ids are hexadecimal, 64-bit numbers strings, attributes `AnyValue` objects. O(size of the values).
"""

import json
import re
from collections.abc import Mapping
from math import isfinite
from typing import Any

from dejavu.model.blake2 import blake2b

_SURROGATE = re.compile("[\ud800-\udfff]")

_LAST = 2**64 / 1e9

Value = str | int | float | bool | list[str] | None


def identity(size: int, *seed: str | int) -> str:
    """Return a hexadecimal id of `size` bytes, the same for the same seed."""
    text = "\0".join(map(str, seed)).encode("utf-8", "surrogatepass")
    return blake2b(text, digest_size=size).hexdigest()


def nanoseconds(at: float) -> int:
    """Return Unix nanoseconds of Unix seconds, within 64 bits; 0 for NaN and for times before 1970."""
    if not at > 0:
        return 0
    # Rounded to microseconds: a float of today holds no more digits, and would look as if it did.
    return min(round(min(at, _LAST) * 1e6) * 1000, 2**64 - 1)


def json_string(value: Any) -> str | None:
    """Return a structured value as the JSON string that an attribute can hold; None for None."""
    if value is None:
        return None
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def attributes(named: Mapping[str, Value]) -> list[dict[str, Any]]:
    """Return the attributes that have a value, as OTLP writes them."""
    return [
        {"key": key, "value": any_value(value)}
        for key, value in named.items()
        if value is not None and value != ""
    ]


def any_value(value: Value) -> dict[str, Any]:
    """Return an OTLP `AnyValue`; 64-bit integers are strings in its JSON encoding."""
    match value:
        case bool():
            return {"boolValue": value}
        case int():
            return {"intValue": str(value)}
        case float() if isfinite(value):
            return {"doubleValue": value}
        case list():
            return {"arrayValue": {"values": [any_value(item) for item in value]}}
        case _:
            return {"stringValue": clean(str(value))}


def clean(text: str) -> str:
    """Replace lone surrogates, which are no characters in UTF-8: agents cut text anywhere."""
    return _SURROGATE.sub("\ufffd", text)
