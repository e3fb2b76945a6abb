"""Regular expressions of rule packs, compiled once and run under a time limit.

`search` and `match` of a `Pattern` return within `TIME_LIMIT` seconds whatever the text: packs may
come from an operator, screens from anywhere. `fits` remembers its answers, since nearly all rows of
a frame stood in the one before. The only module that touches the untyped `regex` library.
"""

from collections.abc import Iterable
from typing import Any, Protocol

import regex

TIME_LIMIT = 0.05
# Answers a pattern remembers: the rows of a few screens.
_MAX_REMEMBERED = 256


class Match(Protocol):
    """What we use of a `regex` match."""

    def group(self, group: int | str = 0, /) -> str | None:
        """Return the text of a group, None where it did not take part."""
        ...

    def start(self, group: int | str = 0, /) -> int:
        """Return the start of a group, -1 where it did not take part."""
        ...

    def groupdict(self) -> dict[str, str | None]:
        """Return all named groups."""
        ...


class Pattern:
    """A regular expression with MULTILINE set; exceeding the time limit counts as no match."""

    __slots__ = ("_compiled", "_fits", "groups", "source")

    def __init__(self, source: str) -> None:
        """Raise ValueError, with the position, if `source` is not a regular expression."""
        self.source = source
        try:
            self._compiled: Any = regex.compile(source, regex.MULTILINE | regex.VERSION1)
        except regex.error as error:
            raise ValueError(f"not a regular expression: {error}") from error
        self._fits: dict[str, bool] = {}
        self.groups: frozenset[str] = frozenset(self._compiled.groupindex)

    def search(self, text: str) -> Match | None:
        """Return the first match in `text`."""
        try:
            match: Match | None = self._compiled.search(text, timeout=TIME_LIMIT)
        except TimeoutError:
            return None
        return match

    def fits(self, row: str) -> bool:
        """Whether the pattern matches at the start of `row`; O(1) for a row met before."""
        known = self._fits.get(row)
        if known is None:
            if len(self._fits) >= _MAX_REMEMBERED:
                self._fits.clear()
            known = self._fits[row] = self.match(row) is not None
        return known

    def match(self, text: str) -> Match | None:
        """Return the match at the start of `text`."""
        try:
            match: Match | None = self._compiled.match(text, timeout=TIME_LIMIT)
        except TimeoutError:
            return None
        return match


def compile_all(sources: Iterable[str]) -> tuple[Pattern, ...]:
    """Compile every source, in order."""
    return tuple(Pattern(source) for source in sources)
