"""Secrets in texts, JSON values and raw lines, each as its kind, digest and last characters.

No I/O. The value itself goes no further than this module: what it returns may be kept. Linear: 10 MB
a second, and the parsing of JSON besides.

Tested in: tests/services/secrets/test_secrets.py
"""

import re
from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from dejavu.redact import Redactor
from dejavu.redact.conversation import texts_in
from dejavu.redact.engine import PUNCTUATION

_DOCUMENT = 16 << 20  # bytes up to which raw is read as one JSON document
_PART, _OVERLAP = 4 << 20, 1 << 17  # bytes of a longer line at a time
_END_OF_KEY = re.compile(r"(\S{4})\s*-----END [^\n]*\s*\Z")


class Hit(msgspec.Struct, array_like=True, frozen=True):
    """A secret in one place: what it is, `digest` of its value, its end, how often it occurs there."""

    kind: str
    digest: str
    last: str
    count: int = 1


def hits_in(redactor: Redactor, values: Iterable[Any]) -> list[Hit]:
    """Return the secrets in texts and JSON values, each value once."""
    hits: dict[tuple[str, str], Hit] = {}
    for value in values:
        for text in texts_in(value):
            for kind, digest, secret in redactor.findings(text, escaped=True):
                before = hits.get((kind, digest))
                count = 1 if before is None else before.count + 1
                last = last_characters(secret.rstrip(PUNCTUATION) or secret)
                hits[kind, digest] = Hit(kind, digest, last, count)
    return list(hits.values())


def last_characters(value: str) -> str:
    """Return the last four characters of a secret, of a short one fewer: a quarter of it at most."""
    body = _END_OF_KEY.search(value)
    end = body[1] if body is not None else value[len(value) - min(4, len(value) // 4) :]
    return "".join(char if char.isprintable() else "?" for char in end)


def raw_hits(redactor: Redactor, pieces: Iterable[bytes]) -> list[Hit]:
    """Return the secrets in the raw bytes of a source or the bytes of a file, each value once.

    JSON is read as JSON, a document or a line at a time, because an escape next to a token hides it.
    """
    first: list[bytes] = []
    size = 0
    stream = iter(pieces)
    for piece in stream:
        first.append(piece)
        size += len(piece)
        if size > _DOCUMENT:
            break
    else:
        try:
            return hits_in(redactor, [msgspec.json.decode(b"".join(first))])
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            pass
    return hits_in(redactor, _values(_lines(_chain(first, stream))))


def _values(lines: Iterable[bytes]) -> Iterator[Any]:
    """Yield each line as JSON, or as text, together with those around it that are none."""
    texts: list[bytes] = []
    size = 0
    for line in lines:
        if line[:1] in (b"{", b"["):
            try:
                value = msgspec.json.decode(line)
            except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
                pass
            else:
                yield value
                continue
        texts.append(line)
        size += len(line)
        if len(texts) >= 1000 or size >= _PART:
            yield b"".join(texts).decode("utf-8", "replace")
            texts, size = [], 0
    yield b"".join(texts).decode("utf-8", "replace")


def _lines(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """Yield lines with their ends; one of more than 16 MB in parts that overlap."""
    parts: list[bytes] = []
    size = 0
    for piece in pieces:
        *complete, last = piece.split(b"\n")
        for line in complete:
            yield b"".join([*parts, line, b"\n"])
            parts, size = [], 0
        parts.append(last)
        size += len(last)
        if size > _DOCUMENT:
            whole = b"".join(parts)
            for start in range(0, size - _OVERLAP, _PART):
                yield whole[start : start + _PART + _OVERLAP]
            parts = [whole[-_OVERLAP:]]
            size = _OVERLAP
    if size:
        yield b"".join(parts)


def _chain(first: list[bytes], rest: Iterator[bytes]) -> Iterator[bytes]:
    while first:
        yield first.pop(0)
    yield from rest
