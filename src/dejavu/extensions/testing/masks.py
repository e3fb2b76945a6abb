"""Masks: what changes from run to run (times, paths, spinners), replaced before screens are compared.

A match in a row becomes `‹name›`, its styles become plain. Where blanks are next to it they are
counted in, so that `   9s` and ` 12s` leave the rest of the row in the same columns. O(cells).
"""

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

Cell = tuple[str, str]
"""Text of a column ("" for the right half of a wide character) and its style in words."""


@dataclass(frozen=True)
class Mask:
    """A regular expression, matched row by row; `rows` (counted from 0) where it holds, if given."""

    pattern: str
    name: str = "masked"
    rows: Collection[int] | None = None

    def __post_init__(self) -> None:
        re.compile(self.pattern)  # raises re.error where the mask is written, and not in a test


TIME = Mask(
    r"\b\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?"
    r"|\b\d{1,2}:\d\d(?::\d\d)?(?:\.\d+)?(?: ?[AaPp][Mm]\b)?"
    r"|\b\d+(?:\.\d+)?(?:(?:ns|µs|us|ms|s|m|h)| (?:ms|s|sec|min|(?:second|minute|hour)s?))\b",
    "time",
)
PATH = Mask(r"(?<![\w/.~:-])~?/(?:[\w.@+~-]+/)*[\w.@+~-]+/?", "path")
SPINNER = Mask(r"[\u2800-\u28ff◐◓◑◒◴◷◶◵◰◳◲◱✢✳✶✻✽]|^\s*[·|/\\-](?= )", "spinner")


def masks_of(masks: Iterable[Mask | str]) -> tuple[Mask, ...]:
    """Return masks; a string is a pattern. Raise re.error for one that is none."""
    return tuple(mask if isinstance(mask, Mask) else Mask(mask) for mask in masks)


def apply(cells: Sequence[Cell], row: int, masks: Iterable[Mask]) -> list[Cell]:
    """Return the cells of a row with every match replaced, in the order of the masks."""
    masked = list(cells)
    for mask in masks:
        if mask.rows is None or row in mask.rows:
            masked = _replace(masked, mask)
    return masked


def _replace(cells: list[Cell], mask: Mask) -> list[Cell]:
    text = "".join(cell for cell, _ in cells)
    columns = [n for n, (cell, _) in enumerate(cells) for _ in cell] + [len(cells)]
    token = f"‹{mask.name}›"
    result: list[Cell] = []
    done = 0
    for match in re.finditer(mask.pattern, text.rstrip()):
        start, end = columns[match.start()], columns[match.end()]
        if start == end or start < done:
            continue
        left, right = _blanks(cells, start, end)
        left = max(left, done)
        result += cells[done:left]
        result += [(character, "") for character in token]
        if (left, right) != (start, end):  # room that may be filled up: columns after it stay
            result += [(" ", "")] * (right - left - len(token))
        done = right
    return result + cells[done:]


def _blanks(cells: list[Cell], start: int, end: int) -> tuple[int, int]:
    """The span with the plain blanks on both sides, but one on each."""
    blank = (" ", "")
    left, right = start, end
    while left >= 2 and cells[left - 1] == cells[left - 2] == blank:
        left -= 1
    while right + 1 < len(cells) and cells[right] == cells[right + 1] == blank:
        right += 1
    return left, right
