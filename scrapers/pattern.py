"""Regular expressions of rule packs, compiled once and run under a time limit.

`search` and `match` of a `Pattern` return within `TIME_LIMIT` seconds whatever the text: packs may
come from an operator, screens from anywhere. `fits` remembers its answers, since nearly all rows of
a frame stood in the one before, and `search` the last, since a region often says what it said. The
limit costs a system call, so that it is left out where no text of that length could reach it. The
only module that touches the untyped `regex` library.
"""

import re
from collections.abc import Iterable, Sequence
from typing import Any, Protocol

import regex

from .backtracking import safe_length

TIME_LIMIT = 0.05
# Answers a pattern remembers: the rows of a few screens.
_MAX_REMEMBERED = 256
# What names a group by its number, which is another one in a longer pattern.
_NUMBERED = re.compile(r"\\[1-9]|\\g<\d|\(\?(?:[R\d&(]|P>)")


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

    __slots__ = ("_compiled", "_fits", "_found", "_safe_match", "_safe_search", "groups", "source")

    def __init__(self, source: str) -> None:
        """Raise ValueError, with the position, if `source` is not a regular expression."""
        self.source = source
        try:
            self._compiled: Any = regex.compile(source, regex.MULTILINE | regex.VERSION1)
        except regex.error as error:
            raise ValueError(f"not a regular expression: {error}") from error
        self._safe_match = safe_length(source)
        self._safe_search = safe_length(source, places=True)
        self._fits: dict[str, bool] = {}
        self._found: tuple[str, Match | None] | None = None
        self.groups: frozenset[str] = frozenset(self._compiled.groupindex)

    def search(self, text: str) -> Match | None:
        """Return the first match in `text`; O(characters) for the text of the last call."""
        found = self._found
        if found is not None and found[0] == text:
            return found[1]
        try:
            match: Match | None = (
                self._compiled.search(text)
                if len(text) <= self._safe_search
                else self._compiled.search(text, timeout=TIME_LIMIT)
            )
        except TimeoutError:
            return None
        self._found = text, match
        return match

    def fits(self, row: str) -> bool:
        """Whether the pattern matches at the start of `row`; O(1) for a row met before."""
        known = self._fits.get(row)
        if known is None:
            if len(self._fits) >= _MAX_REMEMBERED:
                self._fits.clear()
            known = self._fits[row] = self.match(row) is not None
        return known

    def rules_out(self, row: str) -> bool:
        """Whether the pattern does not match at the start of `row`; False where that took too long."""
        try:
            return self._match(row) is None
        except TimeoutError:
            return False

    def match(self, text: str) -> Match | None:
        """Return the match at the start of `text`."""
        try:
            return self._match(text)
        except TimeoutError:
            return None

    def _match(self, text: str) -> Match | None:
        """Return the match at the start of `text`; raise TimeoutError."""
        match: Match | None
        if len(text) <= self._safe_match:
            match = self._compiled.match(text)
        else:
            match = self._compiled.match(text, timeout=TIME_LIMIT)
        return match


def any_of(patterns: Sequence[Pattern]) -> Pattern:
    """Return a pattern that matches at least where one of these does.

    It costs about what one of them does: `regex` tells by the first characters which may match.
    """
    sources = [pattern.source for pattern in patterns]
    if not any(map(_NUMBERED.search, sources)):
        try:
            return Pattern("|".join(f"(?:{source})" for source in sources) or "(?!)")
        except ValueError:
            pass  # sources that cannot stand side by side
    return Pattern("")


def compile_all(sources: Iterable[str]) -> tuple[Pattern, ...]:
    """Compile every source, in order."""
    return tuple(Pattern(source) for source in sources)
