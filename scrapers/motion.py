"""What moves between two samples of a screen: glyphs that turn, rows that keep coming, nothing else.

A release may move its spinner into the input box or reword its status row, and rules then say idle.
Two frames whose row is the same except one spinner's glyph in one place show a turn; two turns in
short order mean work until none has come for a while, or the row is gone. What is typed or
quoted does not move. Rows that come one after the other below what stood last, and are neither a
prompt nor rows that were seen before (a person scrolls), mean the same. No agent is named, and
nothing else of the screen is judged. Cost: O(columns) a row that changed, O(rows) a frame whose
transcript changed.

An agent at work draws ten frames a second in which no more than a spinner turned, or a clock moved.
`only_turns` finds these, which need not be read: since the last sample only rows of the screen's
chrome changed, and of them only digits and what animations are drawn with. A row of the transcript or
the input always counts, and so does another word.  Cost: O(columns) a changed row.
"""

import re
from collections.abc import Sequence

from dejavu.screen import Event, Progress, PromptMark, Snapshot, Title

from .packs import CompiledPack
from .segment import Layout
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
# Seconds for which the last new row speaks.
_GROWS = 1.0
# Frames with new rows that are needed, and the seconds within which: notices come alone, and so
# does what a turn ends with.
_FRAMES, _FRAMES_WITHIN = 2, 1.5
# Rows remembered to tell new ones from those a person scrolls to.
_MAX_SEEN = 4000


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


class StreamingDetector:
    """Follows the end of one session's transcript."""

    def __init__(self) -> None:
        self._seen: dict[str, None] = {}
        self._lines: tuple[str, ...] = ()
        self._columns = 0
        self._typed: str | None = None
        self._times: list[float] = []

    @property
    def until(self) -> float | None:
        """Until when rows that came mean work; None if they do not."""
        return self._times[-1] + _GROWS if len(self._times) >= _FRAMES else None

    def observe(
        self,
        pack: CompiledPack,
        lines: tuple[str, ...],
        columns: int,
        at: float,
        *,
        counts: bool,
        typed: str | None = None,
    ) -> None:
        """Take the transcript's rows of a frame. `counts`: nothing else accounts for new rows.

        `typed` is what is left of the cursor in the input: rows that come as it grows or shrinks
        complete what a person types.
        """
        before, self._typed = self._typed or "", typed
        is_typed = _is_typing(before.rstrip(), (typed or "").rstrip())
        self._times = [time for time in self._times if at - time < _FRAMES_WITHIN]
        if lines == self._lines:
            return
        rows = self._new_rows(lines) if columns == self._columns else ()
        is_new = any(row and row not in self._seen for row in rows)
        if not counts or _is_said_to_end(pack, rows):
            self._times.clear()
        elif is_new and not is_typed:
            self._times.append(at)
        self._remember(lines)
        self._lines, self._columns = lines, columns

    def _new_rows(self, lines: Sequence[str]) -> Sequence[str]:
        """Return the rows below what stood last in the frame before."""
        last = next((row for row in reversed(self._lines) if row), "")
        if not last or not lines:
            return ()
        for index in range(len(lines) - 1, -1, -1):
            if lines[index] == last:
                return lines[index + 1 :]
            if lines[index].startswith(last):
                return lines[index:]
        return ()

    def _remember(self, lines: Sequence[str]) -> None:
        self._seen.update(dict.fromkeys(lines))
        if len(self._seen) > _MAX_SEEN:
            self._seen = dict.fromkeys(list(self._seen)[_MAX_SEEN // 2 :])


def _is_typing(before: str, now: str) -> bool:
    """Whether characters were added to a text or taken from it, at its end."""
    if not before or not now or before == now:
        return False
    return now.startswith(before) or before.startswith(now)


def _is_said_to_end(pack: CompiledPack, rows: Sequence[str]) -> bool:
    """Whether one of the rows starts a prompt, or ends a turn."""
    rules = [line.first for line in pack.lines if line.rule.kind in ("user", "end")]
    return any(rule.match(row) is not None for rule in rules for row in rows)


# Regions in which every character counts.
_READ = frozenset({"transcript", "input", "dialog", "overlay"})
# What turns, grows or counts; blanks, because a number that grows moves what follows it.
_MOVING = re.compile(rf"[\d\s.,•◦●○◉∙⬝■▪▫□◾◽▰▱{SPINNER_GLYPHS}]+")


def only_turns(
    layout: Layout, title: str, rows: tuple[int, ...], events: tuple[Event, ...], now: Snapshot
) -> bool:
    """Whether `rows` and `events` change nothing of the screen read last except what moves without input.

    Marks and progress that come again are the caller's to compare.
    """
    for event in events:
        if isinstance(event, Title):
            if _words(event.text) != _words(title):
                return False
        elif not isinstance(event, PromptMark | Progress):
            return False
    for row in rows:
        if row >= len(layout.rows):
            return False
        if _words(layout.rows[row]) != _words(now.crop(row, 0, now.columns)):
            return False
        regions = {region.name for region in layout.regions if region.top <= row < region.bottom}
        if not regions or regions & _READ:
            return False
    return True


def _words(row: str) -> str:
    return _MOVING.sub("", row)
