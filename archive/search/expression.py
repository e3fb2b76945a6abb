"""Regular expressions in a search: read, the texts that a match must hold, and matching in bounded time.

Must not read the archive. Costs O(pattern) to read; matching ends after `PATIENCE` seconds in all, and
after `_PIECE` for one text.
"""

import re
import time
from collections.abc import Iterator
from contextlib import suppress
from functools import cached_property

from dejavu.model import InvalidValueError

PATIENCE = 5.0
"""Seconds after which a search by expression returns what it has."""
_PIECE = 0.5
_SHORTEST = 2  # characters of a text worth looking for
_TOKEN = re.compile(
    r"(?P<skip>\\[AbBdDGmMsSwWzZ]|[.^$])|\\(?P<escaped>[^\w\s])|(?P<other>\\.)|(?P<open>[\[(|)])"
    r"|(?P<times>[*+?]|\{\d*,?\d*\})|(?P<plain>.)",
    re.DOTALL,
)


class OutOfTimeError(Exception):
    """The time of a search is over."""


class Expression:
    """One expression; letters count as written unless it ends in `/i`."""

    def __init__(self, pattern: str, *, ignore_case: bool = False) -> None:
        """Compile it.

        Raises:
            InvalidValueError: it is none; the text says what is wrong, and at which character.
        """
        self.pattern, self._ignore_case = pattern, ignore_case
        self._until = time.monotonic() + PATIENCE
        self.stopped = self.skipped = False
        import regex  # of no use to a search by words

        try:
            self._compiled = regex.compile(pattern, regex.IGNORECASE if ignore_case else 0)
        except regex.error as error:
            at: int | None = getattr(error, "pos", None)
            place = "" if at is None else f" at character {at + 1}"
            said = str(error).partition(" at position ")[0]
            raise InvalidValueError(f"/{pattern}/ is not an expression: {said}{place}") from None

    @cached_property
    def literals(self) -> tuple[str, ...]:
        """Texts that every match holds, the longest first; none where that cannot be told."""
        if self._ignore_case or "(?" in self.pattern:
            return ()
        found = {text for text in _literals(self.pattern) if len(text) >= _SHORTEST}
        return tuple(sorted(found, key=len, reverse=True))

    def find(self, text: str) -> tuple[int, int] | None:
        """Where the first match is; None also where one text took too long.

        Raises:
            OutOfTimeError: no time is left for any text.
        """
        left = self._until - time.monotonic()
        if left <= 0:
            self.stopped = True
            raise OutOfTimeError
        with suppress(TimeoutError):
            match = self._compiled.search(text, timeout=min(left, _PIECE))
            return None if match is None else match.span()
        self.skipped = True
        return None

    @property
    def notes(self) -> list[str]:
        """What was not looked at, in sentences."""
        notes: list[str] = []
        if self.stopped:
            notes.append(
                f"stopped after {PATIENCE:g} seconds: older conversations were not searched; "
                "narrow it by in:, agent: or after:"
            )
        elif self.skipped:
            notes.append("some long texts were not searched: the expression takes too long")
        return notes


def _literals(pattern: str) -> Iterator[str]:
    """The runs of plain characters outside of groups, classes and choices; each is in every match."""
    run, place = "", 0
    while place < len(pattern):
        found = _TOKEN.match(pattern, place)
        if found is None:
            break
        place = found.end()
        if found["open"] == "|":
            return  # a choice: nothing is in every match
        if text := found["escaped"] or found["plain"]:
            run += text
            continue
        if found["times"] and found["times"] != "+":
            run = run[:-1]  # perhaps not there at all
        yield run
        run = ""
        if found["open"] in ("(", "["):
            place = _end(pattern, place, found["open"])
            if following := _TOKEN.match(pattern, place):
                place = following.end() if following["times"] else place
    yield run


def _end(pattern: str, place: int, opened: str) -> int:
    """The place after the group or class that was opened before `place`."""
    depth = 1
    if opened == "[":
        first = place + (pattern[place : place + 1] == "^")
        place = first + (pattern[first : first + 1] == "]")
    while place < len(pattern):
        letter = pattern[place]
        place += 1
        if letter == "\\":
            place += 1
        elif opened == "[" and letter == "]":
            return place
        elif opened == "(" and letter == "[":
            place = _end(pattern, place, "[")
        elif opened == "(" and letter in "()":
            depth += 1 if letter == "(" else -1
            if not depth:
                return place
    return place
