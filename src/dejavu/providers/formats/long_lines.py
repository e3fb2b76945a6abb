"""Lines that would take too much memory, and what is read of them.

A line longer than the limit (64 MB, `longest_line` under `[sync]` in `config.toml`) is stored raw in
pieces like any other, but only its beginning is parsed: `closed_record` makes a whole JSON record
of it. The limit bounds memory, not bytes: characters beyond ASCII, small JSON values and what does
not compress (it is stored twice) take more than they measure in the file, and `is_too_long` counts
what they take.

O(line) for lines over 4 MiB, at the speed of `memchr` unless they are full of small values; nothing
is looked at of shorter ones.
"""

import re
import zlib
from functools import cache

from dejavu.config.settings import load_config
from dejavu.model import ConfigError

UNCHECKED = 4 << 20
"""Bytes of a line that cannot take too much memory, whatever they are."""
BEGINNING = 256 << 10
"""Bytes that are parsed of a line that is too long."""
TRUNCATED = "(too long)"
"""What `drift` calls a line of which only the beginning was parsed."""

_ASTRAL = (b"\xf0", b"\xf1", b"\xf2", b"\xf3", b"\xf4", b"\\ud", b"\\uD")
_STRING = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"', re.DOTALL)
_TOKEN = re.compile(
    rb'(?P<string>"(?:[^"\\]|\\u[0-9a-fA-F]{4}|\\[^u])*+)(?P<end>"?)|(?P<mark>[{}\[\],:])',
    re.DOTALL,
)
_SAMPLES, _SAMPLE = 8, 16 << 10
# Bytes that a value takes besides its text, as CPython stores objects, arrays and their members.
_OBJECT, _ARRAY, _MEMBER = 184, 64, 57


@cache
def longest_line() -> int:
    """Bytes of a line that is parsed whole, as configured; the default where that is unreadable."""
    try:
        return load_config().sync.longest_line * 1_000_000
    except (ConfigError, OSError):
        return 64_000_000


def is_too_long(line: bytes) -> bool:
    """Whether parsing a line of more than `UNCHECKED` bytes would take more than the limit."""
    room = longest_line() - len(line) * max(_width(line), 3 if _is_dense(line) else 1)
    if room < 0:
        return True
    if _structure(line) <= room:
        return False
    return _structure(_STRING.sub(b"", line)) > room


def _width(line: bytes) -> int:
    """Bytes that a character takes as text: the widest one decides."""
    if line.isascii() and b"\\u" not in line:
        return 1
    return 4 if any(lead in line for lead in _ASTRAL) else 2


def _is_dense(line: bytes) -> bool:
    """Whether samples of the line hardly compress, as base64 does (0.76 of its size)."""
    starts = range(0, len(line) - _SAMPLE, len(line) // _SAMPLES)
    sizes = [len(zlib.compress(line[start : start + _SAMPLE], 1)) for start in starts]
    return sum(sizes) > 0.65 * _SAMPLE * len(sizes)


def _structure(line: bytes) -> int:
    """Bytes that objects, arrays and their members take, at the most."""
    return line.count(b"{") * _OBJECT + line.count(b"[") * _ARRAY + line.count(b",") * _MEMBER


def closed_record(beginning: bytes) -> bytes:
    """The beginning of a JSON value as a whole one: its last string cut, its brackets closed.

    What was cut in the middle of a key or a number is left out. b"" if nothing can be read.
    """
    closers: list[bytes] = []
    whole, whole_closers = 0, b""  # up to where every value is complete, and what closes it there
    before = b""
    for token in _TOKEN.finditer(beginning):
        mark = token["mark"]
        if mark is None:
            if not token["end"]:
                if before == b":" or (before in b",[" and closers[-1:] == [b"]"]):
                    return beginning[: token.end()] + b'"' + b"".join(reversed(closers))
                break
            before = b'"'
            continue
        if mark in b",}]":
            whole, whole_closers = token.start(), b"".join(reversed(closers))
        if mark in b"{[":
            closers.append(b"}" if mark == b"{" else b"]")
        elif mark in b"}]" and (not closers or closers.pop() != mark):
            break
        if mark in b"{[}]":
            whole, whole_closers = token.end(), b"".join(reversed(closers))
        before = mark
    return beginning[:whole] + whole_closers
