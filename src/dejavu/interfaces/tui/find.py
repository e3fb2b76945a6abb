"""Finding a text in one conversation, turn by turn, on from where the reader is.

Reads a window of turns at a time; what is folded is looked through, too. Does no drawing. O(turns) at
worst, for a text that is nowhere.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from dejavu.export.parts import label_and_body
from dejavu.model import Text, Turn

_WINDOW = 64


class Found(NamedTuple):
    """The turn that holds it; whether the end was passed, and whether it is folded away there."""

    seq: int
    wrapped: bool
    folded: bool


def pattern_of(text: str) -> re.Pattern[str]:
    """What finds `text` letter by letter; capitals count where there are any, as in vim's smartcase."""
    return re.compile(re.escape(text), 0 if text != text.lower() else re.IGNORECASE)


def find(
    fetch: Callable[[int, int], Sequence[Turn]],
    count: int,
    start: int,
    pattern: re.Pattern[str],
    *,
    backwards: bool = False,
    stopped: Callable[[], bool] = lambda: False,
) -> Found | None:
    """The first turn that holds the pattern, from `start` on and around; None where there is none.

    fetch: turns from a number up to another. count: how many turns there are. `stopped` is asked
    before each window.
    """
    before, after = range(start), range(start, count)
    ways = [after, before] if not backwards else [range(start + 1), range(start + 1, count)]
    for wrapped, way in enumerate(ways):
        for first, stop in _windows(way, backwards=backwards):
            if stopped():
                return None
            turns = fetch(first, stop)
            for turn in reversed(turns) if backwards else turns:
                folded = _holds(turn, pattern)
                if folded is not None:
                    return Found(turn.seq, bool(wrapped), folded)
    return None


def _windows(way: range, *, backwards: bool) -> Iterator[tuple[int, int]]:
    firsts = range(way.start, way.stop, _WINDOW)
    for first in reversed(firsts) if backwards else firsts:
        yield first, min(first + _WINDOW, way.stop)


def _holds(turn: Turn, pattern: re.Pattern[str]) -> bool | None:
    """None where the turn does not hold it; True where only what is folded does."""
    folded = None
    for part in turn.parts:
        label, body = label_and_body(part)
        if pattern.search(body) or pattern.search(label):
            if isinstance(part, Text):
                return False
            folded = True
    return folded
