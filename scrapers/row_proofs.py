"""Whether rows that leave a transcript are accounted for: the invariant of its buffer.

A row once read leaves only where a fold takes it in, where it is printed again, or where the
conversation is rewound. A row is accounted for if its text is in what takes its place, at any width, or
nearly all words of its cells do. `RowAudit` checks a whole session from outside, for tests and
benchmarks; it decides nothing. Cost: O(characters) of the rows that leave; an audit O(rows) a frame.
"""

import re
from collections import Counter
from collections.abc import Sequence

from .rows import Row, nonblank_text

# Share of a row's words that must stand in what takes its place: a cell may be rewrapped.
_MOST_WORDS = 0.8
_WORD = re.compile(r"[^\W_]+")
# What parts the cells of a table, or columns.
_CELLS = re.compile(r"\S\s*[│┃|]\s*\S|\S\s{2,}\S")
_NO_SIDES = str.maketrans("", "", "│┃|█▌▏")


def unaccounted(old: Sequence[Row], new: Sequence[Row], *, by_words: bool = False) -> list[Row]:
    """Return the rows of `old` with words that are not in `new`, at any width.

    by_words: nearly all words of a row are enough, as where a text is being laid out again.
    """
    gone = [row for row in old if row.has_words and not row.repeated]
    texts = {row.text for row in new} if gone else set[str]()
    gone = [row for row in gone if row.text not in texts]
    if not gone:
        return []
    text = nonblank_text(new)[0].translate(_NO_SIDES)
    gone = [row for row in gone if "".join(row.text.split()).translate(_NO_SIDES) not in text]
    if not gone:
        return []
    words = Counter(word for row in new for word in _WORD.findall(row.text))
    return [
        row for row in gone if not ((by_words or _CELLS.search(row.text)) and _has_most(words, row))
    ]


def _has_most(words: Counter[str], row: Row) -> bool:
    own = Counter(_WORD.findall(row.text))
    return (own & words).total() >= own.total() * _MOST_WORDS


class RowAudit:
    """Counts rows of one buffer that left it without proof, from one frame to the next."""

    def __init__(self) -> None:
        self.lost: list[str] = []
        """The texts of those rows."""
        self._before: list[Row] = []
        self._texts: list[str] = []
        self._top = 0

    def observe(self, rows: Sequence[Row], top: int) -> None:
        """Compare the buffer's rows with those of the frame before; `top` is where the view begins.

        What stood on the screen may be drawn over; what had scrolled off may not. Where the oldest
        rows were dropped, or all of them (no prompt had been seen), it begins again.
        """
        was_dropped = len(rows) < len(self._before) and not _begins_alike(self._texts, rows)
        if not was_dropped and self._before:
            first = next(
                (
                    n
                    for n, (one, row) in enumerate(zip(self._texts, rows, strict=False))
                    if one != row.text
                ),
                min(len(self._texts), len(rows)),
            )
            old = self._before[first : self._top]
            if old:
                folded = [one for row in rows for one in row.folded]
                self.lost += [row.text for row in unaccounted(old, [*rows, *folded])]
        self._before, self._top = list(rows), top
        self._texts = [row.text for row in rows]


def _begins_alike(texts: Sequence[str], rows: Sequence[Row]) -> bool:
    return any(text == row.text for text, row in zip(texts[:3], rows[:3], strict=False) if text)
