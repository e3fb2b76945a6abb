"""Rows at the top of a transcript that stand still while those below scroll: chrome, whatever they say.

A banner or a title that no rule of a pack knows would otherwise be taken for the row above the one
that has just scrolled up to it, and all rows that left the screen between would be lost. Only whole
screens that scroll inside the alternate buffer are asked about. The same holds for a row that is
drawn again at the top when it scrolls off, as some agents do with the prompt. Cost: O(rows of the
view), and one alignment of two views when the top does not move and the row below it does not.

Tested in: tests/scrapers/test_parsed_buffer.py
"""

import re
from collections.abc import Sequence

from .alignment import common_runs
from .rows import Row

_COUNTER = re.compile(r"[\d.,%$()\s]*\d[\d.,%$()\s]*[kKM]?\b|[\s()%$]+")
# The largest share of a view that may be pinned: with more, rows below were merely redrawn.
_MAX_SHARE = 4
# Rows with text that must have moved up together.
_MIN_MOVED = 3
# Rows by which a view that scrolled may be shorter: new rows at its end that are blank.
_BLANK_END = 2


def is_same_row(old: Row, new: Row) -> bool:
    """Whether two rows say the same, counters in them (tokens, a clock) aside."""
    if old.text == new.text:
        return True
    words = words_of([old])
    return words == words_of([new]) and any(map(str.isalpha, words))


def words_of(rows: Sequence[Row]) -> str:
    """Return the text of rows without blanks and counters."""
    return "\n".join(_COUNTER.sub("", row.text) for row in rows)


def pinned_rows(previous: Sequence[Row], view: Sequence[Row], known: int) -> int:
    """Return how many rows at the top of `view` are pinned, given the view before.

    `known` are those that were pinned in `previous`; they stay so while their text stays.
    """
    same = 0
    for old, new in zip(previous, view, strict=False):
        if not is_same_row(old, new):
            break
        same += 1
    if known and same >= known:
        return known
    if not any(row.text for row in view[:same]):
        return 1 if _is_pinned_now(previous, view) else 0
    if same * _MAX_SHARE > len(view):
        return 0
    return same if _scrolled(previous[same:], view[same:]) is not None else 0


def _is_pinned_now(previous: Sequence[Row], view: Sequence[Row]) -> bool:
    """Whether the view's first row repeats one that has scrolled off: agents pin prompts so."""
    if len(view) < 2 or not view[0].text:
        return False
    places = [n for n, row in enumerate(previous) if row.text == view[0].text]
    if not places or [row.text for row in previous[places[-1] + 1 :][:1]] == [view[1].text]:
        return False  # Nearly always: the row itself has moved up to the top.
    shift = _scrolled(previous, view[1:])
    return shift is not None and places[0] < shift - 1 and shift - 1 not in places


def _scrolled(old: Sequence[Row], new: Sequence[Row]) -> int | None:
    """Return by how many rows the old ones moved up, others taking the place that got free.

    None if they did not. Where rows were replaced (by a fold, say) the first row is a new one;
    where rows went without a replacement the view is shorter.
    """
    if len(new) < len(old) - _BLANK_END:
        return None
    runs = common_runs([row.text for row in old], [row.text for row in new])
    if not runs or runs[0][1] != 0:
        return None
    shift = runs[0][0]
    moved = sum(
        1
        for position, of_view, count in runs
        if position - of_view == shift
        for row in new[of_view : of_view + count]
        if row.text
    )
    expected = sum(1 for row in old[shift:] if row.text)
    return shift if shift > 0 and moved >= _MIN_MOVED and moved * 2 >= expected else None
