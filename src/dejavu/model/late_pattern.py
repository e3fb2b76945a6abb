"""Patterns that are compiled when they are first used, and seams of case without a pattern.

A program that starts for every prompt cannot wait for hundreds of patterns, most of which it never
tries. For tables of patterns, and for large ones; a pattern that every run needs is compiled where
it is written. Does no I/O.
"""

import re
from collections.abc import Callable
from typing import Any, cast


class _LatePattern:
    """Has the attributes of the pattern it becomes, from the first that is asked for."""

    def __init__(self, source: str | Callable[[], str], flags: int) -> None:
        self._source = source
        self._flags = flags

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):  # copies and pickles ask for what no pattern has
            raise AttributeError(name)
        source = self._source if isinstance(self._source, str) else self._source()
        value = self.__dict__[name] = getattr(re.compile(source, self._flags), name)
        return value


def late_pattern(source: str | Callable[[], str], flags: int = 0) -> re.Pattern[str]:
    """Return the pattern of `source`, or of what it returns, to be compiled on first use.

    `re.error` is raised by that use. It is no argument for functions of `re`.
    """
    return cast("re.Pattern[str]", _LatePattern(source, flags))


# Of each character in Latin-1: U for a capital, l for a small letter or a digit.
_CLASSES = b" " * 48 + b"l" * 10 + b" " * 7 + b"U" * 26 + b" " * 6 + b"l" * 26 + b" " * 133


def split_case(text: str) -> str:
    """`text` with a space at every seam of case: `parseHTTPHeader` becomes `parse HTTP Header`.

    A seam is before a capital after a small letter or a digit, and before the last capital of a run
    that a small letter follows. ASCII alone. O(text): 120 MB/s, where a regular expression makes 85.
    """
    classes = text.encode("latin-1", "replace").translate(_CLASSES)
    places: list[int] = []
    end = -1
    for stretch in classes.split(b"lU")[:-1]:
        end += len(stretch) + 2
        places.append(end)
    if b"UUl" in classes:
        places += _ends_of_runs(text, classes)
        places.sort()
    if not places:
        return text
    bounds = zip((0, *places), (*places, None), strict=True)
    return " ".join([text[start:stop] for start, stop in bounds])


def _ends_of_runs(text: str, classes: bytes) -> list[int]:
    """Where the last capital of each run is that a small letter follows."""
    places: list[int] = []
    at = classes.find(b"UUl")
    while at >= 0:
        if not text[at + 2].isdigit():
            places.append(at + 1)
        at = classes.find(b"UUl", at + 2)
    return places
