"""The protobuf form of OTLP requests, read into the same dicts as their JSON form.

Takes the bytes of an `ExportLogsServiceRequest` or `ExportTraceServiceRequest`; gives what
`json.loads` gives of the JSON encoding, for the fields that are read here. Unknown fields are
skipped, as the format asks; metrics are not read.

Written by hand: five messages, four wire types and one table are less than the runtime that
generated code needs (two distributions and 0.13 s of import), and one shape serves both forms.
Source: opentelemetry-proto v1 (logs, trace, common, resource) and the protobuf encoding guide.

Raises `ValueError` for anything that is no such message. O(bytes); nesting is bounded.
"""

import struct
from collections.abc import Iterator
from typing import Any

_DEEP = 32  # messages inside messages; attributes may nest, bodies of ours do not
_UNSIGNED = 1 << 64

_VALUE: dict[int, tuple[str, str]] = {
    1: ("stringValue", "text"), 2: ("boolValue", "bool"), 3: ("intValue", "int"),
    4: ("doubleValue", "double"), 5: ("arrayValue", "Values"), 6: ("kvlistValue", "Pairs"),
    7: ("bytesValue", "bytes"),
}  # fmt: skip
_MESSAGES: dict[str, dict[int, tuple[str, str]]] = {
    # message: field number -> name in JSON, type; `*` marks what may come many times
    "logs": {1: ("resourceLogs", "*ResourceLogs")},
    "ResourceLogs": {1: ("resource", "Resource"), 2: ("scopeLogs", "*ScopeLogs")},
    "ScopeLogs": {2: ("logRecords", "*LogRecord")},
    "LogRecord": {
        1: ("timeUnixNano", "fixed"), 5: ("body", "Value"), 6: ("attributes", "*Pair"),
        11: ("observedTimeUnixNano", "fixed"), 12: ("eventName", "text"),
    },
    "traces": {1: ("resourceSpans", "*ResourceSpans")},
    "ResourceSpans": {1: ("resource", "Resource"), 2: ("scopeSpans", "*ScopeSpans")},
    "ScopeSpans": {2: ("spans", "*Span")},
    "Span": {
        5: ("name", "text"), 7: ("startTimeUnixNano", "fixed"), 8: ("endTimeUnixNano", "fixed"),
        9: ("attributes", "*Pair"), 11: ("events", "*Event"),
    },
    "Event": {1: ("timeUnixNano", "fixed"), 2: ("name", "text"), 3: ("attributes", "*Pair")},
    "Resource": {1: ("attributes", "*Pair")},
    "Pair": {1: ("key", "text"), 2: ("value", "Value")},
    "Value": _VALUE,
    "Values": {1: ("values", "*Value")},
    "Pairs": {1: ("values", "*Pair")},
}  # fmt: skip


def decode(data: bytes, signal: str) -> dict[str, Any]:
    """A request of `signal` (`logs` or `traces`) as its JSON form.

    Raises:
        ValueError: cut off, nested too deep, or no protobuf at all.
    """
    return _message(memoryview(data), signal, 0)


def _message(data: memoryview, kind: str, depth: int) -> dict[str, Any]:
    if depth > _DEEP:
        raise ValueError("OTLP message nested too deep")
    fields, value = _MESSAGES[kind], dict[str, Any]()
    for number, wire, raw in _fields(data):
        name, type_ = fields.get(number, ("", ""))
        if not name:
            continue
        many = type_.startswith("*")
        item = _item(type_.removeprefix("*"), wire, raw, depth)
        if many:
            value.setdefault(name, []).append(item)
        else:
            value[name] = item
    return value


def _item(type_: str, wire: int, raw: memoryview | int, depth: int) -> Any:
    """One field's value; a wire type that does not fit the field is damage."""
    if isinstance(raw, int):
        if type_ == "bool":
            return bool(raw)
        if type_ == "int":
            return raw - _UNSIGNED if raw >= _UNSIGNED >> 1 else raw
    elif wire == 1 and type_ in ("fixed", "double"):
        return struct.unpack("<d" if type_ == "double" else "<Q", raw)[0]
    elif wire == 2:
        if type_ == "text":
            return bytes(raw).decode("utf-8", "replace")
        if type_ == "bytes":
            return bytes(raw).hex()
        if type_ in _MESSAGES:
            return _message(raw, type_, depth + 1)
    raise ValueError(f"OTLP field of type {type_} in wire type {wire}")


def _fields(data: memoryview) -> Iterator[tuple[int, int, memoryview | int]]:
    """Each field: its number, its wire type, its number or its bytes."""
    place, size = 0, len(data)
    while place < size:
        key, place = _varint(data, place)
        number, wire = key >> 3, key & 7
        if wire == 0:
            value, place = _varint(data, place)
            yield number, wire, value
            continue
        if wire == 2:
            length, place = _varint(data, place)
        elif wire in (1, 5):
            length = 8 if wire == 1 else 4
        else:
            raise ValueError(f"protobuf wire type {wire}")
        if place + length > size:
            raise ValueError("OTLP message cut off")
        yield number, wire, data[place : place + length]
        place += length


def _varint(data: memoryview, place: int) -> tuple[int, int]:
    value = shift = 0
    while place < len(data) and shift < 70:
        byte = data[place]
        place += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value % _UNSIGNED, place
        shift += 7
    raise ValueError("protobuf number cut off")
