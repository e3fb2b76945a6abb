"""A screen inside a multiplexer's frame: find the pane that holds the agent.

Takes a `Snapshot` of a whole terminal; gives the part inside a frame that fills most of it, with
where it stands, or None. Only square corners count: agents round theirs. Cost: O(rows).
"""

from dataclasses import dataclass

from dejavu.screen import Snapshot

_LEAST_ROWS = 8


@dataclass(frozen=True, slots=True)
class Pane:
    """What stands inside a frame; `top` and `left` are where its first cell is on the screen."""

    snapshot: Snapshot
    top: int
    left: int


def inner_pane(snapshot: Snapshot) -> Pane | None:
    """The pane of a screen whose frame covers most of its rows and columns."""
    rows = [row.rstrip() for row in snapshot.rows]
    top = next((i for i, row in enumerate(rows[:6]) if _is_edge(row, "┌", "┐", snapshot)), None)
    if top is None:
        return None
    bottom = next(
        (i for i in range(len(rows) - 1, top, -1) if _is_edge(rows[i], "└", "┘", snapshot)), None
    )
    if bottom is None or bottom - top < _LEAST_ROWS or (bottom - top) * 3 < len(rows) * 2:
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


def _is_edge(row: str, start: str, end: str, snapshot: Snapshot) -> bool:
    """Whether a row is a frame's edge: corners, a line between (a title may stand in it)."""
    text = row.strip()
    wide = len(text) * 10 >= snapshot.columns * 9
    return wide and text.startswith(start) and text.endswith(end) and text.count("─") > 8
