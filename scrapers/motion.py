"""A glyph that turns at the bottom of the screen: the agent works, whatever its rules say.

A release may move its spinner into the input box or reword its status row, and rules then say idle.
Two frames whose row is the same but for one spinner's glyph in one place show a turn; two turns in
short order mean work until none has come for a while, or the row is gone. What is typed or
quoted does not move. No agent is named, and nothing else of the screen is judged. Cost: O(columns) a
row that changed.
"""

import re
from collections.abc import Sequence

from .work_cues import SPINNER_GLYPHS

HOLD = 1.2
"""Seconds for which the last turn speaks at most; a fast spinner's speaks until the next is late."""
_FEW, _LEAST = 1.5, 0.3
# Turns that are needed, and the seconds within which.
_TURNS, _WINDOW = 2, 1.5
# Rows at the bottom of what is drawn among which a spinner counts.
_ROWS = 16
# Glyphs of one spinner, at most; pictures are drawn with braille, too.
_MAX_GLYPHS = 3
_GLYPH = re.compile(f"[{SPINNER_GLYPHS}]")
# What counts next to a spinner, and moves what follows it.
_COUNTS = re.compile(r"[\d\s.,:]+")


class Motion:
    """Follows the last rows of one session's screen."""

    def __init__(self) -> None:
        self._rows: tuple[str, ...] = ()
        self._times: list[float] = []
        self._words = ""
        self.row = ""
        """The row in which a glyph turned last."""

    @property
    def until(self) -> float | None:
        """Until when glyphs that turned mean work; None if they do not."""
        if len(self._times) < _TURNS:
            return None
        turn = self._times[-1] - self._times[-2]
        return self._times[-1] + min(HOLD, max(_LEAST, _FEW * turn))

    def observe(self, rows: Sequence[str], at: float) -> None:
        """Take the rows of a frame."""
        end = len(rows)
        while end and not rows[end - 1]:
            end -= 1
        shown = tuple(rows[max(0, end - _ROWS) : end])
        before, self._rows = self._rows, shown
        self._times = [time for time in self._times if at - time < _WINDOW]
        if self._times and not any(
            _GLYPH.search(row) and _still(row) == self._words for row in shown
        ):
            self._times.clear()  # it was taken away
        if shown == before or len(shown) != len(before):
            return
        changed = [(old, new) for old, new in zip(before, shown, strict=True) if old != new]
        turned = [new for old, new in changed if _turns(old, new)]
        # Where other rows changed as well, lists of such rows may just have moved.
        if turned and not any(_GLYPH.search(old) and not _turns(old, new) for old, new in changed):
            self._times.append(at)
            self._words, self.row = _still(turned[-1]), turned[-1].strip()[:100]


def _turns(old: str, new: str) -> bool:
    """Whether two rows differ in one spinner's glyph, and else only in what counts."""
    glyphs = _GLYPH.findall(old), _GLYPH.findall(new)
    if len(glyphs[0]) != len(glyphs[1]) or not 0 < len(glyphs[0]) <= _MAX_GLYPHS:
        return False
    if sum(one != other for one, other in zip(*glyphs, strict=True)) == 0:
        return False
    return _still(old) == _still(new)


def _still(row: str) -> str:
    return _COUNTS.sub("", _GLYPH.sub("", row))
