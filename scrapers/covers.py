"""Whether something covers a transcript for a while: what was read stays, and nothing is read.

A box that a user opened (a palette, a menu) covers rows that were there before, and leaves what is
next to it as it was; a page that a key closes takes the place of all. After a resize a screen is torn
until the agent has redrawn it. No agent is named. Cost: O(characters of the rows that changed).
"""

import re
from collections.abc import Sequence

from .choice_cues import open_page
from .segment import Layout

SETTLES = 0.4
"""Seconds after a resize in which agents redraw their screen."""

_TOP = re.compile(r"[╭┌┏][─━]+[^╮┐┓╭┌┏]*[─━]*[╮┐┓]")
_SIDES = frozenset("│┃║")
_BOTTOM = frozenset("╰└┗")
_LEAST = 12  # columns of a box
_SAME = 0.6  # share of the rows next to a box that must be as they were


def is_covered(before: Sequence[str], layout: Layout) -> bool:
    """Whether a box or a page covers rows that were `before` on the screen, all of it."""
    if not before or not any(before):
        return False
    if open_page(layout) is not None and not any(map(_is_dialog, layout.regions)):
        return True
    return any(_covers(before, layout.rows, *box) for box in _boxes(layout.rows))


def _is_dialog(region: object) -> bool:
    return getattr(region, "name", "") == "dialog"


def _boxes(rows: Sequence[str]) -> list[tuple[int, int, int, int]]:
    """Return the boxes that do not begin at the left edge: top, bottom, left, right."""
    found: list[tuple[int, int, int, int]] = []
    for top, row in enumerate(rows):
        for match in _TOP.finditer(row):
            left, right = match.span()
            if left == 0 or right - left < _LEAST:
                continue
            bottom = top + 1
            while bottom < len(rows) and rows[bottom][left : left + 1] in _SIDES:
                bottom += 1
            if bottom > top + 1 and bottom < len(rows) and rows[bottom][left : left + 1] in _BOTTOM:
                found.append((top, bottom + 1, left, right))
    return found


def _covers(
    before: Sequence[str], now: Sequence[str], top: int, bottom: int, left: int, right: int
) -> bool:
    """Whether a box has come over words, while what is next to it is as it was."""
    if len(before) != len(now):
        return False
    cut = [
        at for at in range(top, bottom) if _crosses(before[at], left) or _crosses(before[at], right)
    ]
    if not any(before[at] != now[at] for at in cut):
        return False  # a table, or a box that the agent has drawn below
    pairs = [
        (old[:left].rstrip() + old[right:].rstrip(), new[:left].rstrip() + new[right:].rstrip())
        if top <= at < bottom else (old, new)
        for at, (old, new) in enumerate(zip(before, now, strict=True))
    ]  # fmt: skip
    told = [(old, new) for old, new in pairs if _has_words(old)]
    return len(told) > 1 and sum(old == new for old, new in told) >= _SAME * len(told)


def _crosses(row: str, column: int) -> bool:
    """Whether a row's words go on over a column."""
    edge = row[column - 1 : column + 1]
    return len(edge) == 2 and " " not in edge and _has_words(edge)


def _has_words(text: str) -> bool:
    return any(map(str.isalnum, text))
