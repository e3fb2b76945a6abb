"""Rows with their secrets covered: by labels where there is room, or by marks that become labels.

`draw_labels` keeps every row's width for people to look at: a label goes into the widest part of its
secret that has the room, the rest is `*`. `Marks` is for rows that become a text: each secret is one
private-use character and as many fillers, and `Marks.labels` puts the whole label in their place,
so the text of a turn from the screen equals the same turn redacted where it was never wrapped.
No I/O. Cost: linear in the rows, and in the text.
"""

import re
from collections.abc import Sequence

from .joined_text import Span

__all__ = ["MARKED", "Marks", "draw_labels"]

Mark = tuple[Sequence[Span], str]
"""Where the pieces of a secret stand, and its label."""

_STAR = "*"
_SHORT = "[redacted]"
_BORDER = re.compile("[│┃║▏▎▍▌▐▕┆┇┊┋╎╏┤├█▉▊▋|]")
# Planes 15 and 16 are private use: no terminal program has business there, and each is one cell wide.
_FIRST, _LAST, _FILL = 0xF0000, 0xFFFFD, "\U00100000"
_LOWEST = chr(_FIRST)
_LABEL = f"[{chr(_FIRST)}-{chr(_LAST)}]"
_FOREIGN = re.compile("[\U000f0000-\U0010ffff]")
_COVERED = re.compile(rf"({_LABEL})(?:\s*{_FILL})*|{_FILL}+")

MARKED = re.compile("[\U000f0000-\U0010ffff]+")
"""Cells that are covered by marks."""


class Marks:
    """The labels behind the private-use characters; grows by one entry for each secret found."""

    def __init__(self) -> None:
        self._labels: list[str] = []
        self._chars: dict[str, str] = {}

    def clean(self, rows: Sequence[str]) -> list[str]:
        """Return the rows without private-use characters of their own."""
        return [row if row.isascii() else _FOREIGN.sub("\ufffd", row) for row in rows]

    def cover(self, rows: Sequence[str], marks: Sequence[Mark]) -> list[str]:
        """Return the rows, as wide as before, with each mark's spans covered."""
        out = [list(row) for row in rows]
        for spans, label in sorted(marks, key=_longest_first):
            cells = [
                (out[span.row], cell) for span in spans for cell in range(span.start, span.end)
            ]
            bare = [(row, cell) for row, cell in cells if row[cell] < _LOWEST]
            for row, cell in bare:
                row[cell] = _FILL
            if len(bare) == len(cells) and cells:
                row, cell = cells[0]
                row[cell] = self._char(label)
        return ["".join(row) for row in out]

    def labels(self, text: str) -> str:
        """Return a text made of covered rows with the labels in place."""
        if text.isascii():
            return text
        return _COVERED.sub(self._label, text)

    def _char(self, label: str) -> str:
        char = self._chars.get(label)
        if char is None:
            # Beyond 65,534 different secrets the last label is used for all others.
            self._labels.append(label)
            char = self._chars[label] = chr(min(_FIRST + len(self._labels) - 1, _LAST))
        return char

    def _label(self, covered: re.Match[str]) -> str:
        number = ord(covered[1]) - _FIRST if covered[1] else -1
        return self._labels[number] if 0 <= number < len(self._labels) else ""


def draw_labels(rows: Sequence[str], marks: Sequence[Mark]) -> list[str]:
    """Return the rows with each mark's spans covered by `*`, and its label where there is room.

    The label covers the widest span that takes it, with the blanks that follow up to a border or
    the row's end; `[redacted]` replaces a label that fits nowhere. Widths never change.
    """
    out = [list(row) for row in rows]
    for spans, _ in marks:
        for span in spans:
            out[span.row][span.start : span.end] = _STAR * (span.end - span.start)
    # The longest first: a secret found whole names itself before a part of it does.
    for spans, label in sorted(marks, key=_longest_first):
        for text in (label, _SHORT):
            if any(_write(out[span.row], span, text) for span in sorted(spans, key=_width)):
                break
    return ["".join(row) for row in out]


def _longest_first(mark: Mark) -> int:
    return -sum(span.end - span.start for span in mark[0])


def _width(span: Span) -> int:
    return span.start - span.end


def _write(row: list[str], span: Span, label: str) -> bool:
    """Write the label over a masked span, unless another is there or the room is too small."""
    if any(char != _STAR for char in row[span.start : span.end]):
        return False
    blank = span.end
    while blank < len(row) and row[blank] == " ":
        blank += 1
    at_edge = blank == len(row) or _BORDER.match(row[blank])
    if len(label) > (blank if at_edge else span.end) - span.start:
        return False
    row[span.start : span.start + len(label)] = label
    return True
