"""Patterns of rule packs: compiled once, run under a time limit.

Takes the source text of a pattern; gives `Pattern`, whose `search` and `match` answer within
`TIME_LIMIT` seconds whatever the text (packs may come from an operator, screens from anywhere).
The one place that touches the untyped `regex` library.
"""

from collections.abc import Iterable
from typing import Any, Protocol

import regex

TIME_LIMIT = 0.05


class Match(Protocol):
    """What we use of a `regex` match."""

    def group(self, group: int | str = 0, /) -> str | None:
        """The text of a group, None where it took no part."""
        ...

    def start(self, group: int | str = 0, /) -> int:
        """Where a group starts, -1 where it took no part."""
        ...

    def groupdict(self) -> dict[str, str | None]:
        """All named groups."""
        ...


class Pattern:
    """One regular expression, MULTILINE. A run over the time limit counts as no match."""

    __slots__ = ("_compiled", "groups", "source")

    def __init__(self, source: str) -> None:
        """Raise ValueError, with the place, where `source` is no regular expression."""
        self.source = source
        try:
            self._compiled: Any = regex.compile(source, regex.MULTILINE | regex.VERSION1)
        except regex.error as error:
            raise ValueError(f"not a regular expression: {error}") from error
        self.groups: frozenset[str] = frozenset(self._compiled.groupindex)

    def search(self, text: str) -> Match | None:
        """The first place in `text` that matches."""
        try:
            found: Match | None = self._compiled.search(text, timeout=TIME_LIMIT)
        except TimeoutError:
            return None
        return found

    def match(self, text: str) -> Match | None:
        """A match at the start of `text`."""
        try:
            found: Match | None = self._compiled.match(text, timeout=TIME_LIMIT)
        except TimeoutError:
            return None
        return found


def compile_all(sources: Iterable[str]) -> tuple[Pattern, ...]:
    """Every source compiled, in order."""
    return tuple(Pattern(source) for source in sources)
