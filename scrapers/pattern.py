"""Regular expressions of rule packs, compiled once and run under a time limit.

`search` and `match` of a `Pattern` return within `TIME_LIMIT` seconds whatever the text: packs may
come from an operator, screens from anywhere. `fits` remembers its answers, since nearly all rows of
a frame stood in the one before, and `search` the last, since a region often says what it said. The
limit costs a system call, several times what a short row takes, so that it is left out where no text
of that length could reach it. The only module that touches the untyped `regex` library.

`safe_length` is that length, a bound from the source alone: with `k` repetitions, whose lengths add up
to `n` characters at most, and `m` choices a match at one place tries about `n**k / k! * 2**m` ways, as
long as no group is repeated. Cost: O(source), once a pattern.
"""

import math
import re
from collections.abc import Iterable, Sequence
from typing import Any, Protocol

import regex

# Ways that take some ten milliseconds at most, far less than the time limit.
_WAYS = 1 << 20
# The pieces of a source: an escape, a set, a repetition with what makes it lazy or possessive, the
# opening of a group (which may be named, or look around), and single characters.
_PIECE = re.compile(
    r"\\(?:[pPN]\{[^}]*\}|u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|[^\d\sgpPNRXLKGkux])"
    r"|\[\^?\]?(?:[^\]\[\\&|~-]|\\.|-(?!-)|\|(?!\|)|&(?!&)|~(?!~))*\]"
    r"|(?P<repeat>[*+]|\{\d+(?:,\d*)?\})[?+]?|(?P<choice>\?[?+]?|\|)"
    r"|\((?:(?!\?)|\?(?:P?<[A-Za-z_]\w*>|<?[=!]|[a-z]*:|>|[aimsu]+\)))|(?P<close>\))|[^\\\[\]{}*+?|()]"
)
_LEADING = re.compile(r"\^\\s\*(?=[^\s\\\[\]{}*+?|().$^](?![*+?{]))")
_REPEATED = re.compile(r"[*+{]")
_COUNTED = re.compile(r"\{(\d+)(?:(,)(\d*))?\}")
# Choices up to which `{a,b}` counts as so many of them, not as a repetition.
_FEW = 4


def safe_length(source: str, *, places: bool = False) -> int:
    """Return the number of characters up to which a text needs no time limit; -1: always needs one.

    `places`: for a search, which tries every place of the text.
    """
    repetitions, choices, index = int(places), 0, 0
    if not places and (leading := _LEADING.match(source)):
        index = leading.end()  # tried once, and no shorter one is followed by what has to follow
    while index < len(source):
        piece = _PIECE.match(source, index)
        if piece is None:
            return -1
        index = piece.end()
        if piece["close"] and _REPEATED.match(source, index):
            return -1
        if piece["choice"]:
            choices += 1
        elif piece["repeat"]:
            counted = _COUNTED.fullmatch(piece["repeat"])
            if counted is None or (counted[2] and not counted[3]):
                repetitions += 1
            elif counted[2]:
                more = int(counted[3]) - int(counted[1])
                repetitions, choices = (
                    (repetitions, choices + more) if more <= _FEW else (repetitions + 1, choices)
                )
    ways = _WAYS >> min(choices, 30)
    return int((ways * math.factorial(repetitions)) ** (1 / max(repetitions, 1)))


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
