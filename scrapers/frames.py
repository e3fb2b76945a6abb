"""What changes between two samples of a session's screen.

An agent at work draws ten frames a second in which no more than a spinner turned, or a clock moved.
These need not be read: since the last sample only rows of the screen's chrome changed, and of them
only digits and what animations are drawn with. A row of the transcript or the input always counts,
and so does another word. Rows of a word without an end are left out
before anything reads them. Cost: O(columns) a changed row.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from dejavu.screen import Event, Line, Progress, PromptMark, Snapshot, Title

from .segment import Layout
from .work_cues import SPINNER_GLYPHS

_LONGEST = 256
"""Rows of one line that are read whatever is in them: a key of 16,384 bits in base64 has 200 of 20."""


@dataclass(frozen=True, slots=True)
class Frame:
    """All that changed since the last sample."""

    rows: tuple[int, ...]
    scrolled: tuple[Line, ...]
    events: tuple[Event, ...]


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


class EndlessWord:
    """Follows the rows that scroll off one screen.

    Rows of a word that does not end (a file without a line end, base64 of an image) are read by no
    person, and no agent says anything in them: the first are kept, no row with a blank is dropped.
    """

    def __init__(self) -> None:
        self._rows = 0  # of the line that has not ended

    def kept(self, lines: Sequence[Line]) -> list[Line]:
        """Return the rows to be read of those that scrolled off, in order."""
        kept: list[Line] = []
        for line in lines:
            self._rows = self._rows + 1 if line.wrapped else 0
            if self._rows <= _LONGEST or " " in str(line):
                kept.append(line)
        return kept
