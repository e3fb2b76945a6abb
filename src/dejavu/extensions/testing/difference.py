"""Two screens that should be equal: which cells differ, said for people in a terminal's width.

O(cells) of both.
"""

from collections.abc import Iterator

from .masks import Cell
from .rendering import Rendering

_MOST_ROWS = 30
_MOST_STYLES = 12
_MOST_TEXT = 40
_CONTEXT = 1
_BLANK: Cell = (" ", "")


def differing(expected: Rendering, actual: Rendering) -> list[set[int]]:
    """Return for each row the columns whose text or style differs."""
    ours, theirs = expected.cells(), actual.cells()
    result: list[set[int]] = []
    for row in range(max(len(ours), len(theirs))):
        expected_row, actual_row = _row(ours, row), _row(theirs, row)
        width = max(len(expected_row), len(actual_row))
        columns: set[int] = set()
        for n in range(width):
            before, after = _cell(expected_row, n), _cell(actual_row, n)
            # The right half of a wide character differs where the left one does.
            if before != after or (n - 1 in columns and "" in (before[0], after[0])):
                columns.add(n)
        result.append(columns)
    return result


def _row(cells: tuple[tuple[Cell, ...], ...], row: int) -> tuple[Cell, ...]:
    return cells[row] if row < len(cells) else ()


def _cell(cells: tuple[Cell, ...], column: int) -> Cell:
    return cells[column] if column < len(cells) else _BLANK


def explain(expected: Rendering, actual: Rendering, width: int = 120) -> str:
    """Return both screens side by side where they differ, then differences of style and facts."""
    columns = differing(expected, actual)
    lines = [*_side_by_side(expected, actual, columns, max(10, (width - 12) // 2))]
    lines += _styles(expected, actual, columns)
    for key in expected.facts | actual.facts:
        expected_fact, actual_fact = expected.facts.get(key), actual.facts.get(key)
        if expected_fact != actual_fact:
            lines.append(f"{key}: expected {expected_fact!r}, got {actual_fact!r}")
    return "\n".join(lines)


def _side_by_side(
    expected: Rendering, actual: Rendering, columns: list[set[int]], room: int
) -> Iterator[str]:
    rows = [row for row, differ in enumerate(columns) if differ]
    if not rows:
        return
    ours, theirs = expected.cells(), actual.cells()
    widest = max(map(len, (*ours, *theirs)), default=1)
    first, last = min(map(min, filter(None, columns))), max(map(max, filter(None, columns)))
    start = 0 if last < room or widest <= room else max(0, min(first - 4, widest - room))
    room = min(room, max(10, widest - start))
    shown = sorted(
        {r + n for r in rows for n in range(-_CONTEXT, _CONTEXT + 1)} & {*range(len(columns))}
    )
    cut = f" (columns {start} to {start + room - 1} of {widest})" if room < widest else ""
    yield f"{len(rows)} of {len(columns)} rows differ{cut}"
    yield f"{'':5}{'expected':{room + 3}}actual"
    before = -1
    for row in shown[:_MOST_ROWS]:
        if before >= 0 and row > before + 1:
            yield f"{'⋮':>3}"
        before = row
        pair = (_crop(_row(side, row), start, room) for side in (ours, theirs))
        yield f"{row:3}{'!' if columns[row] else ' '}│{'│ │'.join(pair)}│"
        if columns[row]:
            marks = "".join("^" if start + n in columns[row] else " " for n in range(room))
            yield f"{'':5}{marks}   {marks}".rstrip()
    if len(shown) > _MOST_ROWS:
        yield f"... and {len(shown) - _MOST_ROWS} more rows"


def _crop(cells: tuple[Cell, ...], start: int, room: int) -> str:
    """Columns of a row, filled up; half a wide character is a blank."""
    cut = [text for text, _ in cells[start : start + room]]
    if cut and not cut[0]:
        cut[0] = " "
    if start + room < len(cells) and cut and cells[start + room][0] == "":
        cut[-1] = " "
    return "".join(cut) + " " * (room - len(cut))


def _styles(expected: Rendering, actual: Rendering, columns: list[set[int]]) -> Iterator[str]:
    """Stretches of equal text whose style differs."""
    ours, theirs = expected.cells(), actual.cells()
    count = 0
    for row, differ in enumerate(columns):
        expected_row, actual_row = _row(ours, row), _row(theirs, row)
        stretch: list[int] = []
        for column in [*sorted(differ), -1]:
            here = (
                (_cell(expected_row, column)[1], _cell(actual_row, column)[1])
                if column >= 0
                else ("", "")
            )
            if stretch and (
                column != stretch[-1] + 1
                or here != (_cell(expected_row, stretch[-1])[1], _cell(actual_row, stretch[-1])[1])
            ):
                count += 1
                if count <= _MOST_STYLES:
                    yield _stretch(row, stretch, expected_row, actual_row)
                stretch = []
            if here[0] != here[1]:
                stretch.append(column)
    if count > _MOST_STYLES:
        yield f"... and {count - _MOST_STYLES} more styles"


def _stretch(
    row: int, stretch: list[int], expected_row: tuple[Cell, ...], actual_row: tuple[Cell, ...]
) -> str:
    first, last = stretch[0], stretch[-1]
    text = "".join(_cell(actual_row, column)[0] for column in stretch)
    text = text if len(text) <= _MOST_TEXT else text[: _MOST_TEXT - 3] + "..."
    before, after = _cell(expected_row, first)[1] or "plain", _cell(actual_row, first)[1] or "plain"
    return f"row {row}, columns {first} to {last} {text!r}: expected {before}, got {after}"
