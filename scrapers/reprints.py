"""What an agent prints again: some draw the whole conversation anew after a resize or as they end.

It is the same text at any width, so it is told by its words without blanks. Cost: O(characters of
what is buffered and of the view), for views that share no rows with what stood last.
"""

from collections.abc import Sequence

from .rows import Row, has_text, nonblank_text

# Share of a transcript's rows that must be in what takes their place when it is printed again.
REPRINTED = 0.9
# Share of the text up to which a view is but a part of it.
_PART = 0.8
# Characters of a row that are looked for in other rows, without the sides of a box.
_SHINGLE = 24
_NO_SIDES = str.maketrans("", "", "│┃|")


def printed_again(old: Sequence[Row], view: Sequence[Row], first: int) -> int | None:
    """Return the row of the view from which on it holds `old` again, or None.

    `first` is the row that begins as `old` does; if it was printed more than once, the last counts.
    """
    again = (n for n in range(len(view) - 1, first - 1, -1) if view[n].text == view[first].text)
    return next((n for n in again if share_within(old, view[n:]) >= REPRINTED), None)


def is_part(view: Sequence[Row], old: Sequence[Row]) -> bool:
    """Whether a view shows a part of `old` only: a good deal less text, and nothing new."""
    shown, known = (sum(map(str.isalnum, nonblank_text(rows)[0])) for rows in (view, old))
    return shown < known * _PART and share_within(view, old) >= REPRINTED


def share_within(rows: Sequence[Row], others: Sequence[Row]) -> float:
    """Return the share of the rows with text whose beginning is somewhere in others, at any width.

    O(characters of both) in all but odd cases.
    """
    text = nonblank_text(others)[0].translate(_NO_SIDES)
    starts = ["".join(row.text.split()).translate(_NO_SIDES)[:_SHINGLE] for row in rows]
    starts = [start for start in starts if has_text(start) and len(start) >= _SHINGLE // 2]
    return sum(start in text for start in starts) / len(starts) if starts else 0.0
