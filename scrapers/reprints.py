"""What an agent prints again: some redraw the whole conversation after a resize or as they end.

It is the same text at any width, so it is recognised by its words without blanks. Cost: O(characters of
what is buffered and of the view), for views that share no rows with what stood last.

Tested in: tests/scrapers/test_transcript_buffer.py
"""

from bisect import bisect_right
from collections.abc import Sequence

from .rows import Row, has_text, nonblank_text

# Share of a transcript's rows that must be in what takes their place when it is printed again.
REPRINTED = 0.9
# Share of the text up to which a view is but a part of it.
_PART = 0.8
# Characters of a row, without the sides of a box, from which on it tells something.
_LEAST = 12
# Share of the rows that stood where a view begins that must be in it: their place is proven then.
MOST = 0.5
# Characters without blanks that rows need to be found again at another width.
MIN_ANCHOR = 24
# Places where rows may start that are compared, the last ones.
_MAX_PLACES = 64
_NO_SIDES = str.maketrans("", "", "│┃|")


def printed_again(old: Sequence[Row], view: Sequence[Row], first: int) -> int | None:
    """Return the row of the view from which on it holds `old` again, or None.

    `first` is the row that begins as `old` does; if it was printed more than once, the last counts.
    Rows of `old` that repeat others need not come as often.
    """
    old = [row for row in old if not row.repeated]
    again = (n for n in range(len(view) - 1, first - 1, -1) if view[n].text == view[first].text)
    return next((n for n in again if share_within(old, view[n:]) >= REPRINTED), None)


def is_part(view: Sequence[Row], old: Sequence[Row]) -> bool:
    """Whether a view shows a part of `old` only: a good deal less text, and nothing new."""
    shown, known = (sum(map(str.isalnum, nonblank_text(rows)[0])) for rows in (view, old))
    return shown < known * _PART and share_within(view, old) >= REPRINTED


def share_within(rows: Sequence[Row], others: Sequence[Row]) -> float:
    """Return the share of the rows with text that are somewhere in others, whole, at any width.

    O(characters of both) in all but odd cases.
    """
    text = nonblank_text(others)[0].translate(_NO_SIDES)
    wholes = ["".join(row.text.split()).translate(_NO_SIDES) for row in rows]
    wholes = [whole for whole in wholes if has_text(whole) and len(whole) >= _LEAST]
    return sum(whole in text for whole in wholes) / len(wholes) if wholes else 0.0


def place_of(rows: Sequence[Row], others: Sequence[Row]) -> tuple[int, int] | None:
    """Return the index among others, and the offset in that row, where rows start, at any width.

    Where they may start in several places the one where most of them follows counts, of equal ones
    the last. None if they start nowhere, or are too short to tell.
    """
    sought = nonblank_text(rows)[0]
    text, starts = nonblank_text(others)
    for length in (4 * MIN_ANCHOR, 2 * MIN_ANCHOR, MIN_ANCHOR):
        anchor = sought[:length]
        if len(sought) >= MIN_ANCHOR and has_text(anchor) and anchor in text:
            position = _best_place(text, sought, anchor)
            index = bisect_right(starts, position) - 1
            return index, position - starts[index]
    return None


def _best_place(text: str, sought: str, anchor: str) -> int:
    """Return where a text continues as `sought` for longest, of the last places that hold its anchor."""
    position = best = text.rfind(anchor)
    longest = -1
    for _ in range(_MAX_PLACES):
        if position < 0:
            break
        same = _same_start(text[position : position + len(sought)], sought)
        if same > longest:
            best, longest = position, same
        position = text.rfind(anchor, 0, position + len(anchor) - 1)
    return best


def _same_start(one: str, other: str) -> int:
    pairs = enumerate(zip(one, other, strict=False))
    return next((at for at, (a, b) in pairs if a != b), min(len(one), len(other)))
