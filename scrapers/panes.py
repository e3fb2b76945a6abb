"""A screen inside another: a multiplexer's frame, or the printed form of a test buffer.

`inner_pane` returns the agent's own part of a `Snapshot` and its position, or None. A frame must
cover most of the screen and have square corners, as agents draw round ones. A printed buffer
(ratatui's, as found in saved screens) is a run of quoted rows. Cost: O(rows).
"""

import re
from dataclasses import dataclass

from dejavu.screen import Snapshot

_MIN_ROWS = 8
_QUOTED = re.compile(r'^\s*"(.*)",$')


@dataclass(frozen=True, slots=True)
class Pane:
    """The content of a frame; `top` and `left` locate its first cell on the screen."""

    snapshot: Snapshot
    top: int
    left: int


def inner_pane(snapshot: Snapshot) -> Pane | None:
    """Return the pane inside a frame that covers most of the screen, or a printed buffer's rows."""
    rows = [row.rstrip() for row in snapshot.rows]
    if rows[:1] == ["Buffer {"]:
        return _printed_buffer(rows)
    top = next((i for i, row in enumerate(rows[:6]) if _is_edge(row, "┌", "┐", snapshot)), None)
    if top is None:
        return None
    bottom = next(
        (i for i in range(len(rows) - 1, top, -1) if _is_edge(rows[i], "└", "┘", snapshot)), None
    )
    if bottom is None or bottom - top < _MIN_ROWS or (bottom - top) * 3 < len(rows) * 2:
        return None
    left = len(rows[top]) - len(rows[top].lstrip())
    inside = rows[top + 1 : bottom]
    if not all(row[left : left + 1] == "│" and row.endswith("│") for row in inside):
        return None
    title = rows[top].strip("┌┐─ ")
    body = [row[left + 1 : -1] for row in inside]
    row, column = snapshot.cursor
    cursor = (max(0, row - top - 1), max(0, column - left - 1))
    columns = max(1, snapshot.columns - left - 2)
    inner = Snapshot.from_rows(
        body, columns, title=title, alternate=snapshot.alternate, cursor=cursor
    )
    return Pane(inner, top + 1, left + 1)


def _printed_buffer(rows: list[str]) -> Pane | None:
    """Return the rows of a buffer printed for debugging."""
    matches = [(index, match) for index, row in enumerate(rows) if (match := _QUOTED.match(row))]
    if not matches:
        return None
    top, first = matches[0]
    return Pane(Snapshot.from_rows([match.group(1) for _, match in matches]), top, first.start(1))


def _is_edge(row: str, start: str, end: str, snapshot: Snapshot) -> bool:
    """Whether a row is a frame's edge: corners, a line between (a title may stand in it)."""
    text = row.strip()
    wide = len(text) * 10 >= snapshot.columns * 9
    return wide and text.startswith(start) and text.endswith(end) and text.count("─") > 8
