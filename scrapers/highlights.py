"""Which of several labels is drawn as the chosen one, by their styles alone.

A highlight is what one label has and no other: another ground, inverse, weight or colour. Of two
labels that differ both may be the one, so that only another ground than the one around them counts, or
that one of them is greyed or bold. What is not certain is None. Cost: O(labels).

Tested in: tests/scrapers/test_choices.py
"""

from collections import Counter
from collections.abc import Sequence

from dejavu.screen import Run, Snapshot, Style

from .packs import is_greyed
from .rows import width

_AROUND = 6  # rows on either side of a label that tell its background

Looks = tuple[Style, Style]
"""The style of a label, and that of what is around it."""


def highlighted(looks: Sequence[Looks], *, ground_only: bool = False) -> int | None:
    """Return the index of the highlighted label; None where that is not certain.

    ground_only: a colour or a weight of the letters is no highlight.
    """
    grounds = [_ground(own) != _ground(around) for own, around in looks]
    if any(grounds):
        return (
            grounds.index(True) if grounds.count(True) == 1 else _odd_one(list(map(_look, looks)))
        )
    if ground_only:
        return None
    if len(looks) > 2:
        return _odd_one([_look(one) for one in looks])
    for stands_out in ([not is_greyed(own) for own, _ in looks], [own.bold for own, _ in looks]):
        if stands_out.count(True) == 1:
            return stands_out.index(True)
    return None


def look_of(snapshot: Snapshot, row: int, text: str) -> Looks | None:
    """Return the style of a text on a row of the screen, and of what is around; None if it is not there."""
    if not 0 <= row < snapshot.lines or not text:
        return None
    at = snapshot.rows[row].find(text)
    if at < 0:
        return None
    column = width(snapshot.rows[row][:at])
    own = _at(snapshot.row_styles(row), column)
    near = [each for each in (row - 1, row + 1) if 0 <= each < snapshot.lines]
    beyond = [_ground(_at(snapshot.row_styles(each), column)) for each in near]
    # The same ground above and below is that of a panel, not of a label.
    return own, own if set(beyond) == {_ground(own)} else _around(snapshot, row)


def _at(runs: Sequence[Run], column: int) -> Style:
    return next((run.style for run in runs if run.start <= column < run.end), Style())


def _around(snapshot: Snapshot, row: int) -> Style:
    """The style of most cells around a row: a list's highlight may fill its row."""
    cells = Counter[tuple[object, ...]]()
    styles: dict[tuple[object, ...], Style] = {_ground(Style()): Style()}
    for each in range(max(0, row - _AROUND), min(snapshot.lines, row + _AROUND + 1)):
        runs = snapshot.row_styles(each)
        if not runs and not snapshot.rows[each].strip():
            continue  # nothing is drawn there
        cells[_ground(Style())] += snapshot.columns
        for run in runs:
            ground = _ground(run.style)
            cells[ground] += run.end - run.start
            cells[_ground(Style())] -= run.end - run.start
            styles.setdefault(ground, run.style)
    return styles[cells.most_common(1)[0][0]]


def _ground(style: Style) -> tuple[object, ...]:
    return style.inverse, style.fg if style.inverse else style.bg


def _look(looks: Looks) -> tuple[object, ...]:
    own = looks[0]
    return _ground(own), own.fg, own.bold, own.dim, own.underline


def _odd_one(looks: Sequence[object]) -> int | None:
    """Return the one that differs from all others, which agree; at least three are compared."""
    counts = Counter(looks)
    if len(looks) < 3 or len(counts) != 2:
        return None
    odd = [n for n, look in enumerate(looks) if counts[look] == 1]
    return odd[0] if len(odd) == 1 else None
