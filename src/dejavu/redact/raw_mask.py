"""Secrets in raw bytes masked in place: the same length, the same JSON, so that every offset holds.

A secret of n bytes becomes `[redacted:<rule>:<hmac8>]` and `*` up to n bytes, or `*` alone where it
is shorter; as a key, whose objects may have another such, its digest and `*`. JSON is read as JSON (a
document or a line at a time), because an escape next to a token hides it from a rule; what is masked
is the value however it is escaped there, JSON inside JSON included. Pure. Linear.
"""

import json
import re
from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from dejavu.model import is_json_array, is_json_object

from .conversation import texts_in
from .engine import Redactor

_DOCUMENT = 16 << 20  # bytes up to which bytes are tried as one JSON document
_WINDOW, _OVERLAP = 4 << 20, 1 << 17  # bytes of a longer text at a time; an RSA key has 2 to 13 KB
_PIECE = 6  # characters of a secret that may be told from other text
_CUT = "…".encode()
_ESCAPE = re.compile(
    r"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|[nrtbf\"/\\])"
)
_LEVELS = 6  # of JSON inside JSON that are looked into
_IS_KEY = re.compile(r"[^\"\\]*\\*\"\s*:")
_SHORTEST_KEY = 8  # characters; a shorter one may be a name that readers of the format look for


class RawMask:
    """Masks secrets in bytes, and counts them by rule and digest.

    wanted: whether a secret of this digest is masked; None masks all.
    """

    def __init__(self, redactor: Redactor, wanted: Callable[[str], bool] | None = None) -> None:
        self._redactor, self._wanted = redactor, wanted
        self.masked: dict[tuple[str, str], int] = {}
        """How often each secret was masked, by rule and digest."""
        self.scope: tuple[str, ...] = ()
        """What the bytes belong to; a secret is one everywhere."""
        self.left = 0
        """Secrets that could not be masked without changing what the JSON says."""
        self._masks: dict[bytes, bytes] = {}

    def __call__(self, data: bytes) -> bytes:
        """Return the bytes masked; the very bytes where there is nothing to mask."""
        if len(data) <= _DOCUMENT and data[:1] in (b"{", b"["):
            value, is_json = _parsed(data)
            if is_json:
                return self._json(data, value)
        lines = data.splitlines(keepends=True)
        masked: list[bytes] = []
        texts: list[bytes] = []
        for line in lines:
            if len(line) <= _DOCUMENT and line[:1] in (b"{", b"[") and (parsed := _parsed(line))[1]:
                masked += [self._text(b"".join(texts)), self._json(line, parsed[0])]
                texts = []
            else:
                texts.append(line)
        return b"".join([*masked, self._text(b"".join(texts))])

    def turn(self, text: bytes) -> bytes:
        """Return the JSON of a turn masked."""
        return self(text)

    def mask_known(self, data: bytes) -> bytes:
        """Return bytes of any form with the values masked that were met so far."""
        for value, mask in sorted(self._masks.items(), key=lambda pair: -len(pair[0])):
            data = data.replace(value, mask)
            end = data.find(_CUT)
            while end >= 0:
                size = _cut_length(data, value, end)
                data = data[: end - size] + b"*" * size + data[end:]
                end = data.find(_CUT, end + 1)
        return data

    def mask_truncated_end(self, text: str) -> str:
        """Return a text without the beginning of a value that was met, where its end cuts one."""
        end = text.rstrip("… ").encode("utf-8", "surrogatepass")
        for value in self._masks:
            if size := _cut_length(end, value, len(end)):
                kept = end[:-size].decode("utf-8", "surrogatepass")
                return f"{kept}{'*' * size}{text[len(text.rstrip('… ')) :]}"
        return text

    def _json(self, data: bytes, value: Any) -> bytes:
        secrets = self._found([value])
        if not secrets:
            return data
        masked = self._replaced(data, secrets)
        after, is_json = _parsed(masked)
        if not is_json or _shape(after) != _shape(value):
            self.left += len(
                {one[:2] for one in secrets}
            )  # two keys would be one, or a part of another word went
            return data
        still = {one[:2] for one in self._found([after])}
        self.left += len({one[:2] for one in secrets} & still)
        return masked

    def _text(self, data: bytes) -> bytes:
        if len(data) > _WINDOW + _OVERLAP:
            return self._windows(data)
        secrets = (
            self._found([data.decode("utf-8", "surrogateescape")])
            if data
            else set[tuple[str, str, str]]()
        )
        return self._replaced(data, secrets) if secrets else data

    def _windows(self, data: bytes) -> bytes:
        """Return bytes masked a part at a time; what one part cuts is whole in the next."""
        masked = bytearray(data)
        for start in range(0, len(data), _WINDOW):
            stop = start + _WINDOW + _OVERLAP
            masked[start:stop] = self._text(bytes(masked[start:stop]))
        return bytes(masked)

    def _found(self, values: Iterable[Any]) -> set[tuple[str, str, str]]:
        """Rule, digest and value of what is masked; one secret may have a full stop after it or not."""
        return {
            (kind, digest, secret)
            for value in values
            for text in texts_in(value)
            for kind, digest, secret in self._redactor.findings(text, escaped=True)
            if self._wanted is None
            or self._wanted(digest)
            or self._wanted(self._redactor.digest_as_written(secret))
        }

    def _replaced(self, data: bytes, secrets: set[tuple[str, str, str]]) -> bytes:
        text = data.decode("utf-8", "surrogateescape")
        extents: list[tuple[int, int, tuple[str, str]]] = []
        end = 0
        for extent in sorted(_extents(text, secrets), key=lambda one: (one[0], -one[1])):
            if extent[0] >= end:
                extents.append(extent)
                end = extent[1]
        parts: list[bytes] = []
        end = 0
        for start, stop, (kind, digest) in extents:
            form = text[start:stop].encode("utf-8", "surrogateescape")
            label = f"[redacted:{kind}:{digest}]".encode()
            if _IS_KEY.match(text, stop):
                if stop - start < _SHORTEST_KEY:
                    continue
                label = digest.encode()
            mask = (label if len(label) <= len(form) else b"").ljust(len(form), b"*")
            self._masks[form] = mask
            self.masked[kind, digest] = self.masked.get((kind, digest), 0) + 1
            parts += (text[end:start].encode("utf-8", "surrogateescape"), mask)
            end = stop
        return b"".join([*parts, text[end:].encode("utf-8", "surrogateescape")])


def _extents(
    text: str, secrets: set[tuple[str, str, str]]
) -> Iterator[tuple[int, int, tuple[str, str]]]:
    """Yield where the values of secrets stand in a text, as they are or escaped."""
    offsets: Sequence[int] = range(len(text) + 1)
    for _ in range(_LEVELS):
        for kind, digest, value in secrets:
            at = text.find(value)
            while at >= 0:
                yield offsets[at], offsets[at + len(value)], (kind, digest)
                at = text.find(value, at + len(value))
        if "\\" not in text:
            return
        text, inner = unescaped(text)
        offsets = array("q", (offsets[at] for at in inner))


def unescaped(text: str) -> tuple[str, "array[int]"]:
    """Return a text without the escapes of JSON, and where each of its characters and its end stood."""
    parts: list[str] = []
    offsets = array("q")
    end = 0
    for escape in _ESCAPE.finditer(text):
        start, stop = escape.span()
        parts += (text[end:start], json.loads(f'"{escape[0]}"'))
        offsets.extend(range(end, start + 1))
        end = stop
    parts.append(text[end:])
    offsets.extend(range(end, len(text) + 1))
    return "".join(parts), offsets


def _parsed(data: bytes) -> tuple[Any, bool]:
    try:
        return json.loads(data), True
    except (ValueError, RecursionError):
        return None, False


def _cut_length(data: bytes, value: bytes, end: int) -> int:
    """Return how much of a value's beginning is before `end`; 0 for too little to tell."""
    for size in range(min(len(value) - 1, end), _PIECE - 1, -1):
        if data.endswith(value[:size], 0, end):
            return size
    return 0


def _shape(value: Any) -> Any:
    """Return the shape of a JSON value: how many keys its objects have, how long its arrays are."""
    if is_json_object(value):
        return [_shape(inner) for inner in value.values()]
    if is_json_array(value):
        return tuple(_shape(inner) for inner in value)
    return None
