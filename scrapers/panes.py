"""Screens within screens: a multiplexer's frame, a printed test buffer, boxes over a transcript.

`inner_pane` returns the agent's own part of a `Snapshot` and its position, or None. A frame must
cover most of the screen and have square corners, as agents draw round ones. A printed buffer
(ratatui's, as found in saved screens) is a run of quoted rows. Cost: O(rows).

`is_covered` says whether something covers a transcript for a while: what was read stays, and nothing
is read. A box that a user opened (a palette, a menu) covers rows that were there before, and leaves
what is next to it as it was; a page that a key closes takes the place of all. After a resize a screen
is torn until the agent has redrawn it. No agent is named. Cost: O(characters of the rows that changed).
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from dejavu.screen import Snapshot

from .choice_cues import open_page
from .segment import Layout

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


SETTLES = 0.4
"""Seconds after a resize in which agents redraw their screen."""
WHOLE = 5.0
"""Seconds after a resize for which a text field that was there is waited for."""
_OVERLAY_TIMEOUT = 20.0  # seconds for which the transcript waits for a toast over it to go away

_TOP = re.compile(r"[╭┌┏][─━]+[^╮┐┓╭┌┏]*[─━]*[╮┐┓]")
_SIDES = frozenset("│┃║")
_BOTTOM = frozenset("╰└┗")
_LEAST = 12  # columns of a box
_MAX_REMEMBERED = 1024  # rows whose edges are known: those of a few screens
_SAME = 0.6  # share of the rows next to a box that must be as they were


def is_covered(before: Sequence[str], layout: Layout) -> bool:
    """Whether a box or a page covers rows that were `before` on the screen, all of it."""
    if not before or not any(before):
        return False
    if open_page(layout) is not None and not any(map(_is_dialog, layout.regions)):
        return True
    if before == layout.rows:
        return False  # nothing has come
    return any(_covers(before, layout.rows, *box) for box in _boxes(layout.rows))


def _is_dialog(region: object) -> bool:
    return getattr(region, "name", "") == "dialog"


@lru_cache(_MAX_REMEMBERED)
def _tops(row: str) -> tuple[tuple[int, int], ...]:
    """Return where the upper edges of boxes begin and end that may be in a row."""
    spans = (match.span() for match in _TOP.finditer(row))
    return tuple((left, right) for left, right in spans if left and right - left >= _LEAST)


def _boxes(rows: Sequence[str]) -> list[tuple[int, int, int, int]]:
    """Return the boxes that do not begin at the left edge: top, bottom, left, right."""
    found: list[tuple[int, int, int, int]] = []
    for top, row in enumerate(rows):
        for left, right in _tops(row):
            bottom = top + 1
            while bottom < len(rows) and rows[bottom][left : left + 1] in _SIDES:
                bottom += 1
            if bottom > top + 1 and bottom < len(rows) and rows[bottom][left : left + 1] in _BOTTOM:
                found.append((top, bottom + 1, left, right))
    return found


def _covers(
    before: Sequence[str], now: Sequence[str], top: int, bottom: int, left: int, right: int
) -> bool:
    """Whether a box has come over words, while what is next to it is as it was."""
    if len(before) != len(now):
        return False
    cut = [
        at for at in range(top, bottom) if _crosses(before[at], left) or _crosses(before[at], right)
    ]
    if not any(before[at] != now[at] for at in cut):
        return False  # a table, or a box that the agent has drawn below
    pairs = [
        (old[:left].rstrip() + old[right:].rstrip(), new[:left].rstrip() + new[right:].rstrip())
        if top <= at < bottom else (old, new)
        for at, (old, new) in enumerate(zip(before, now, strict=True))
    ]  # fmt: skip
    told = [(old, new) for old, new in pairs if _has_words(old)]
    return len(told) > 1 and sum(old == new for old, new in told) >= _SAME * len(told)


def _crosses(row: str, column: int) -> bool:
    """Whether a row's words go on over a column."""
    edge = row[column - 1 : column + 1]
    return len(edge) == 2 and " " not in edge and _has_words(edge)


def _has_words(text: str) -> bool:
    return any(map(str.isalnum, text))


class Cover:
    """What hides one session's transcript for a while.

    `settles_at`: when a frame is wanted because a resize is over by then; None: there was none.
    """

    def __init__(self) -> None:
        self.settles_at: float | None = None
        self._size: tuple[int, int] | None = None
        self._resized_at = 0.0
        self._had_field = False
        self._shown: tuple[str, ...] = ()
        self._covered: float | None = None

    def hides(self, snapshot: Snapshot, layout: Layout, at: float) -> bool:
        """Whether a frame shows the transcript torn, erased or covered."""
        settling = self._is_settling(snapshot, layout, at)
        if settling or self._has_overlay(layout, at) or not layout.lines:
            return True
        if is_covered(self._shown, layout):
            return True
        self._shown = layout.rows
        return False

    def _is_settling(self, snapshot: Snapshot, layout: Layout, at: float) -> bool:
        """Whether the screen may be torn by a resize.

        An agent that is busy may repaint late, and for a size that has changed again: its text field
        is the last that it draws.
        """
        size = snapshot.columns, snapshot.lines
        if self._size not in (None, size):
            self._resized_at, self.settles_at, self._shown = at, at + SETTLES, ()
        self._size = size
        has_field = any(region.name in ("input", "dialog") for region in layout.regions)
        if self.settles_at is not None:
            least = self._resized_at + SETTLES
            is_whole = has_field or not self._had_field
            self.settles_at = least if is_whole or at < least else self._resized_at + WHOLE
            if at < self.settles_at:
                return True
        self.settles_at, self._had_field = None, has_field
        return False

    def _has_overlay(self, layout: Layout, at: float) -> bool:
        """Whether a viewer or (for some seconds) a toast covers the transcript."""
        overlays = [region for region in layout.regions if region.name == "overlay"]
        if not overlays:
            self._covered = None
            return False
        self._covered = at if self._covered is None else self._covered
        return (
            any(overlay.left == 0 for overlay in overlays) or at - self._covered < _OVERLAY_TIMEOUT
        )
