"""The pieces of OTLP's JSON encoding: ids, moments, attributes.

Takes plain values; gives what OpenTelemetry's protocol (opentelemetry-proto 1.x, JSON mapping)
has for them: hexadecimal ids, 64-bit numbers as strings, `AnyValue` objects. Costs O(what is said).
"""

import json
import re
from collections.abc import Mapping
from hashlib import blake2b
from math import isfinite
from typing import Any

_SURROGATE = re.compile("[\ud800-\udfff]")

_LAST = 2**64 / 1e9

Value = str | int | float | bool | list[str] | None


def identity(size: int, *seed: str | int) -> str:
    """A hexadecimal id of `size` bytes, the same for the same seed."""
    text = "\0".join(map(str, seed)).encode("utf-8", "surrogatepass")
    return blake2b(text, digest_size=size).hexdigest()


def nanoseconds(at: float) -> int:
    """Unix nanoseconds of a moment in seconds, within what 64 bits can hold; no number is 0."""
    if not at > 0:
        return 0
    # By way of whole microseconds: a float of today holds no more, and would look as if it did.
    return min(round(min(at, _LAST) * 1e6) * 1000, 2**64 - 1)


def json_string(value: Any) -> str | None:
    """A structured value as the JSON string an attribute can hold."""
    if value is None:
        return None
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def attributes(named: Mapping[str, Value]) -> list[dict[str, Any]]:
    """The attributes that have a value, as OTLP writes them."""
    return [
        {"key": key, "value": any_value(value)}
        for key, value in named.items()
        if value is not None and value != ""
    ]


def any_value(value: Value) -> dict[str, Any]:
    """An OTLP `AnyValue`; 64-bit integers are strings in its JSON encoding."""
    match value:
        case bool():
            return {"boolValue": value}
        case int():
            return {"intValue": str(value)}
        case float() if isfinite(value):
            return {"doubleValue": value}
        case list():
            return {"arrayValue": {"values": [any_value(one) for one in value]}}
        case _:
            return {"stringValue": clean(str(value))}


def clean(text: str) -> str:
    """Half of a surrogate pair (agents cut text anywhere) is no character in UTF-8."""
    return _SURROGATE.sub("\ufffd", text)
