"""Fingerprints of lines of code: what a line is without white space, so that indentation does not count.

Loaded by every blame: no patterns, no parsers. Costs O(text).

Tested in: tests/extensions/code/test_blame.py
"""

from collections.abc import Iterable
from functools import lru_cache

import msgspec

from dejavu.model.blake2 import blake2b

SIZE = 8  # bytes of a fingerprint


class HunkPrints(msgspec.Struct, frozen=True, array_like=True):
    """A hunk as fingerprints of `SIZE` bytes; `new` has a 1 for each line after that was not before.

    `edges` are the first and last line after, which may be only a part of a line of the file.
    """

    before: bytes
    after: bytes
    new: bytes
    edges: tuple[str, str] = ("", "")


def digest(text: str) -> bytes:
    """The fingerprint of a text."""
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=SIZE).digest()


@lru_cache(maxsize=1 << 13)
def line_print(line: str) -> bytes:
    """The fingerprint of a line of code; a line is in a file, its last commit and its history."""
    return digest("".join(line.split()))


def line_prints(lines: Iterable[str]) -> list[bytes]:
    """The fingerprints of lines of code."""
    return [line_print(line) for line in lines]


def prints_of(packed: bytes) -> list[bytes]:
    """Fingerprints that were joined."""
    return [packed[start : start + SIZE] for start in range(0, len(packed), SIZE)]
