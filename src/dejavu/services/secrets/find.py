"""Secrets in texts, JSON values and raw lines, each as its kind, digest and last characters.

No I/O. The value itself goes no further than this module: what it returns may be kept. Linear: 10 MB
a second, and the parsing of JSON besides.
"""

import re
from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from dejavu.redact import Redactor
from dejavu.redact.conversation import redact_value
from dejavu.redact.raw_mask import escaped_findings

_DOCUMENT = 64 << 20  # bytes up to which raw is read as one JSON document
_END_OF_KEY = re.compile(r"(\S{4})\s*-----END [^\n]*\s*\Z")


class Hit(msgspec.Struct, array_like=True, frozen=True):
    """A secret in one place: what it is, `digest` of its value, its end, how often it stands there."""

    kind: str
    digest: str
    last: str
    count: int = 1


def hits_in(redactor: Redactor, values: Iterable[Any]) -> list[Hit]:
    """Return the secrets in texts and JSON values, each value once."""
    found: dict[tuple[str, str], Hit] = {}

    def collect(text: str) -> str:
        for kind, digest, value in escaped_findings(redactor, text):
            before = found.get((kind, digest))
            found[kind, digest] = Hit(
                kind, digest, last_characters(value), 1 if before is None else before.count + 1
            )
        return text

    for value in values:
        redact_value(value, collect)
    return list(found.values())


def last_characters(value: str) -> str:
    """Return the last four characters of a secret, of a short one fewer: a quarter of it at most."""
    body = _END_OF_KEY.search(value)
    end = body[1] if body is not None else value[len(value) - min(4, len(value) // 4) :]
    return "".join(char if char.isprintable() else "?" for char in end)


def raw_hits(redactor: Redactor, pieces: Iterable[bytes]) -> list[Hit]:
    """Return the secrets in the raw bytes of a source or the bytes of a file, each value once.

    JSON is read as JSON, a document or a line at a time, because an escape beside a token hides it.
    """
    head: list[bytes] = []
    size = 0
    stream = iter(pieces)
    for piece in stream:
        head.append(piece)
        size += len(piece)
        if size > _DOCUMENT:
            break
    else:
        try:
            return hits_in(redactor, [msgspec.json.decode(b"".join(head))])
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            pass
    return hits_in(redactor, _values(_lines(_chain(head, stream))))


def _values(lines: Iterable[bytes]) -> Iterator[Any]:
    """Yield each line as JSON, or as text, together with those around it that are none."""
    texts: list[bytes] = []
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
        if len(texts) >= 1000:
            yield b"".join(texts).decode("utf-8", "replace")
            texts = []
    yield b"".join(texts).decode("utf-8", "replace")


def _lines(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """Yield lines with their ends; one of more than 64 MB in parts."""
    rest: list[bytes] = []
    held = 0
    for piece in pieces:
        *complete, last = piece.split(b"\n")
        for line in complete:
            yield b"".join([*rest, line, b"\n"])
            rest, held = [], 0
        rest.append(last)
        held += len(last)
        if held > _DOCUMENT:
            yield b"".join(rest)
            rest, held = [], 0
    if held:
        yield b"".join(rest)


def _chain(head: list[bytes], rest: Iterator[bytes]) -> Iterator[bytes]:
    yield from head
    yield from rest
