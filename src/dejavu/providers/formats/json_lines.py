"""Records out of bytes, whatever state the bytes are in, and values out of records, whatever their shape.

Decodes lines of JSON into typed structs or plain values. What a strict decoder refuses (invalid
UTF-8, lone surrogates, NaN, a field of another type) is read the lenient way; what cannot be read
at all is None. `as_dict` and the like read a value as the shape one hopes for, O(1). Never raises.
O(bytes); the lenient way is several times slower and rare.
"""

import json
import math
import types
from collections.abc import Iterator
from typing import Annotated, Any, TypeVar, Union, cast, get_args, get_origin

import msgspec

from dejavu.model.json_values import map_strings

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


R = TypeVar("R", bound=msgspec.Struct)

UNREADABLE = "(unreadable)"
"""What `drift` calls a record that is no JSON at all."""


def lines(data: bytes, offset: int = 0) -> Iterator[tuple[memoryview, int, int]]:
    """Each line that is not blank, without its newline: the bytes, its offset, its length.

    Views, not copies: a line of 70 MB costs nothing here. O(bytes).
    """
    view, end, size = memoryview(data), -1, len(data)
    while end < size:
        start = end + 1
        end = data.find(b"\n", start)
        if end < 0:
            end = size
        if end > start and (end - start > 2 or data[start:end].strip()):
            yield view[start:end], offset + start, end - start


def decode_lenient(line: bytes | memoryview) -> Any:
    """The JSON value of a line, read as leniently as needed; None if it is none."""
    try:
        return msgspec.json.decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        pass
    try:
        return map_strings(json.loads(bytes(line).decode("utf-8", "replace")), _scrub, keys=True)
    except (ValueError, RecursionError):
        return None


def decode_struct(line: bytes | memoryview, decoder: msgspec.json.Decoder[R]) -> R | None:
    """The record of a line as `decoder`'s struct; None if it is no JSON object.

    A field whose value does not fit its type takes its default, and the rest is kept.
    """
    try:
        return decoder.decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        value = decode_lenient(line)
    kind: type[R] = decoder.type
    return coerce(as_dict(value), kind) if isinstance(value, dict) else None


def coerce(value: dict[str, Any], kind: type[R]) -> R:
    """A struct of `kind` from those fields of `value` that fit. O(size of value)."""
    try:
        return msgspec.convert(value, kind, strict=False)
    except (msgspec.ValidationError, RecursionError):
        pass
    fields: dict[str, Any] = {}
    for field in msgspec.structs.fields(kind):
        if field.encode_name in value:
            try:
                fields[field.name] = _fit(value[field.encode_name], field.type)
            except (msgspec.ValidationError, RecursionError):
                continue
    return kind(**fields)


def _fit(value: Any, kind: Any) -> Any:
    """`value` as `kind`; lists keep the items that fit, structs their fields that fit."""
    options = get_args(kind) if get_origin(kind) in (Union, types.UnionType) else (kind,)
    for option in options:
        if isinstance(value, dict) and isinstance(option, type):
            if issubclass(option, msgspec.Struct):
                return coerce(as_dict(value), option)
        elif isinstance(value, list) and get_origin(option) is list:
            (item,) = get_args(option)
            return [
                fitted_item
                for element in as_list(value)
                for fitted_item in _fit_item(element, item)
            ]
    return msgspec.convert(value, kind, strict=False)


def _fit_item(value: Any, kind: Any) -> Iterator[Any]:
    """`value` as `kind`, or nothing."""
    try:
        yield _fit(value, kind)
    except (msgspec.ValidationError, RecursionError):
        return


def _scrub(text: str) -> str:
    """`text` without lone surrogates, which no UTF-8 can hold."""
    return text.encode("utf-8", "surrogatepass").decode("utf-8", "replace")


def is_object(line: bytes) -> bool:
    """Whether `line` is a whole JSON object (no beginning of one ever is)."""
    if not line.rstrip().endswith(b"}"):
        return False
    try:
        msgspec.json.decode(line, type=dict[str, msgspec.Raw])
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return False
    return True


def key_paths(value: Any, depth: int = 3) -> Iterator[str]:
    """The paths of a record's keys, such as `message.content.[]`, down to `depth` keys.

    Of a list only the first item is looked at: its items are alike, and lists grow.
    """
    if depth and isinstance(value, dict):
        for key, item in as_dict(value).items():
            yield key
            for path in key_paths(item, depth - 1):
                yield f"{key}.{path}"
    elif depth and (listed := as_list(value)):
        for path in key_paths(listed[0], depth):
            yield f"[].{path}"


def repair_truncated(data: bytes) -> bytes | None:
    """A JSON document that was cut off, closed after its last whole value; None if there is none.

    For whole-file traces that were damaged: what is before the cut is still readable. O(bytes).
    """
    stack: list[int] = []
    best: tuple[int, bytes] | None = None
    position, size = 0, len(data)
    while position < size:
        byte = data[position]
        if byte == 0x22:  # a string: over it in jumps
            position += 1
            while (position := data.find(b'"', position)) > 0:
                slashes = position
                while data[slashes - 1] == 0x5C:
                    slashes -= 1
                if (position - slashes) % 2 == 0:
                    break
                position += 1
            if position < 0:
                break
        elif byte in b"{[":
            stack.append(byte)
        elif byte in b"}]":
            if not stack:
                break
            stack.pop()
            if byte == 0x7D:  # the end of an object is always the end of a value
                closers = bytes(0x7D if opened == 0x7B else 0x5D for opened in reversed(stack))
                best = (position + 1, closers)
        position += 1
    return None if best is None else data[: best[0]] + best[1]
