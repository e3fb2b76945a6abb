"""Secrets in raw bytes masked in place: the same length, the same JSON, so that every offset holds.

A secret of n bytes becomes `[redacted:<rule>:<hmac8>]` and `*` up to n bytes, or `*` alone where it
is shorter. JSON is read as JSON (a document or a line at a time), because an escape beside a token
hides it from a rule, and what is masked is the value as it is escaped there. Pure. Linear.
"""

import json
import re
from collections.abc import Callable
from typing import Any

from .conversation import redact_value
from .engine import Redactor

_DOCUMENT = 64 << 20  # bytes up to which bytes are tried as one JSON document
_PIECE = 6  # characters of a secret that may be told from other text
_CUT = "…".encode()
_ESCAPES = re.compile(r"\\+(?:[nrtbf\"/]|u[0-9a-fA-F]{4})")


class RawMask:
    """Masks secrets in bytes, and counts them by rule and digest.

    wanted: whether a secret of this digest is masked; None masks all.
    """

    def __init__(self, redactor: Redactor, wanted: Callable[[str], bool] | None = None) -> None:
        self._redactor, self._wanted = redactor, wanted
        self.masked: dict[tuple[str, str], int] = {}
        """How often each secret was masked, by rule and digest."""
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
            if line[:1] in (b"{", b"[") and (parsed := _parsed(line))[1]:
                masked += [self._text(b"".join(texts)), self._json(line, parsed[0])]
                texts = []
            else:
                texts.append(line)
        return b"".join([*masked, self._text(b"".join(texts))])

    def known(self, data: bytes) -> bytes:
        """Return bytes of any form with the values masked that were met so far."""
        for value, mask in sorted(self._masks.items(), key=lambda pair: -len(pair[0])):
            data = data.replace(value, mask)
            end = data.find(_CUT)
            while end >= 0:
                size = _cut_length(data, value, end)
                data = data[: end - size] + b"*" * size + data[end:]
                end = data.find(_CUT, end + 1)
        return data

    def without_cut(self, text: str) -> str:
        """Return a text without the beginning of a value that was met, where its end cuts one."""
        end = text.rstrip("… ").encode("utf-8", "surrogatepass")
        for value in self._masks:
            if size := _cut_length(end, value, len(end)):
                kept = end[:-size].decode("utf-8", "surrogatepass")
                return f"{kept}{'*' * size}{text[len(text.rstrip('… ')) :]}"
        return text

    def _json(self, data: bytes, value: Any) -> bytes:
        found = self._found([value])
        if not found:
            return data
        masked = self._replaced(data, found, _json_forms)
        after, is_json = _parsed(masked)
        if not is_json or _keys(after) != _keys(value):
            self.left += len(found)  # the value is a key, or a part of another word
            return data
        self.left += len({pair for pair in found if pair in self._found([after])})
        return masked

    def _text(self, data: bytes) -> bytes:
        if not data:
            return data
        found = self._found([data.decode("utf-8", "surrogateescape")])
        return self._replaced(data, found, _text_forms) if found else data

    def _found(self, values: list[Any]) -> dict[tuple[str, str], str]:
        found: dict[tuple[str, str], str] = {}

        def collect(text: str) -> str:
            for kind, digest, value in escaped_findings(self._redactor, text):
                if self._wanted is None or self._wanted(digest):
                    found[kind, digest] = value
            return text

        for value in values:
            redact_value(value, collect)
        return found

    def _replaced(
        self,
        data: bytes,
        found: dict[tuple[str, str], str],
        forms: Callable[[str], set[bytes]],
    ) -> bytes:
        for (kind, digest), value in sorted(found.items(), key=lambda item: -len(item[1])):
            for form in sorted(forms(value), key=len, reverse=True):
                if count := data.count(form):
                    label = f"[redacted:{kind}:{digest}]".encode()
                    mask = (label if len(label) <= len(form) else b"").ljust(len(form), b"*")
                    self._masks[form] = mask
                    data = data.replace(form, mask)
                    before = self.masked.get((kind, digest), 0)
                    self.masked[kind, digest] = before + count
        return data


def _parsed(data: bytes) -> tuple[Any, bool]:
    try:
        return json.loads(data), True
    except (ValueError, RecursionError):
        return None, False


def escaped_findings(redactor: Redactor, text: str) -> list[tuple[str, str, str]]:
    """Return the findings in a text, and in the JSON within it: what is escaped counts as blanks.

    An escape hides the beginning of a word: a token behind one for a line end follows an "n".
    """
    found = redactor.findings(text)
    if "\\" in text:
        found += redactor.findings(_ESCAPES.sub(_blank, text))
    return found


def _blank(escape: re.Match[str]) -> str:
    last = escape[0][-1]
    plain = "\n" if last in "nr" else '"' if last == '"' else " "
    return " " * (len(escape[0]) - 1) + plain


def _cut_length(data: bytes, value: bytes, end: int) -> int:
    """Return how much of a value's beginning stands before `end`; 0 for too little to tell."""
    for size in range(min(len(value) - 1, end), _PIECE - 1, -1):
        if data.endswith(value[:size], 0, end):
            return size
    return 0


def _keys(value: Any) -> Any:
    """Return the shape of a JSON value: its keys, and how long its arrays are."""
    if isinstance(value, dict):
        return {key: _keys(inner) for key, inner in value.items()}  # pyright: ignore[reportUnknownVariableType] - any JSON
    if isinstance(value, list):
        return [_keys(inner) for inner in value]  # pyright: ignore[reportUnknownVariableType] - any JSON
    return None


def _json_forms(value: str) -> set[bytes]:
    """Return the ways in which a value may be written in a JSON string, and in one inside another."""
    forms: set[bytes] = set()
    for ascii_ in (True, False):
        once = json.dumps(value, ensure_ascii=ascii_)[1:-1]
        twice = json.dumps(once, ensure_ascii=ascii_)[1:-1]
        for text in (once, twice, once.replace("/", "\\/")):
            forms.add(text.encode("utf-8", "surrogatepass"))
    return forms


def _text_forms(value: str) -> set[bytes]:
    return {value.encode("utf-8", "surrogateescape"), *_json_forms(value)}
