"""Rows of a transcript, and their letters, by which they are known however they are wrapped.

Takes and gives `Row`s; letters are a row's text without blanks. Cost: O(characters).
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from dejavu.screen import Run

# The share of letters (not lines of boxes) that words have at least.
_SAYING = 0.4


@dataclass(slots=True, eq=False)
class Row:
    """One row: its text, whether the terminal wrapped it, the width it was drawn for, its style.

    `at` is when it was first seen. `folded` are rows that the agent folded away: those a fold
    stands for, or that stood behind this row. `joined`: the row goes on in the next without a
    blank (a resize cut it). `repeated`: it stands above already, before a page was turned.
    """

    text: str
    wrapped: bool
    width: int
    runs: tuple[Run, ...] = ()
    at: float = 0.0
    folded: tuple["Row", ...] = ()
    joined: bool = False
    repeated: bool = False


def letters_of(rows: Sequence[Row]) -> tuple[str, list[int]]:
    """The rows' text without blanks, and where each row starts in it."""
    parts: list[str] = []
    starts: list[int] = []
    length = 0
    for row in rows:
        starts.append(length)
        part = "".join(row.text.split())
        parts.append(part)
        length += len(part)
    return "".join(parts), starts


def says(letters: str) -> bool:
    """Whether letters are words rather than lines of a box, which are alike everywhere."""
    return sum(map(str.isalnum, letters)) >= len(letters) * _SAYING


def cut(row: Row, count: int) -> tuple[Row, Row]:
    """The row up to its `count`-th character that is not blank, and the rest of it."""
    index = 0
    while count and index < len(row.text):
        count -= not row.text[index].isspace()
        index += 1
    first = replace(row, text=row.text[:index].rstrip(), wrapped=False, joined=True)
    return first, replace(row, text=row.text[index:], runs=(), folded=())
