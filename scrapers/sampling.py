"""When a screen is sampled, and what has changed since it was sampled last.

Frames are sampled when composed: `SETTLE` after the first output that follows a quiet time, then at
most every `SAMPLE_INTERVAL` seconds while output continues. Sooner while much of the screen moves, so
that no rows scroll by unsampled; seldom while an agent works and only its spinner turns. Once more after
`QUIESCENCE`; never inside a synchronized update. `EndlessWord` leaves out rows of a word without an end
before anything reads them. Reads no screen and owns no clock. Cost: O(what changed).

Tested in: tests/scrapers/test_session.py
"""

from collections.abc import Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import Protocol

from dejavu.screen import Cleared, Event, Line

# Seconds: a frame counts as composed this long after its first byte ...
SETTLE = 0.03
# ... the longest time between two samples while output continues ...
SAMPLE_INTERVAL = 0.06
# ... while large parts of the screen move ...
SAMPLE_INTERVAL_MOVING = 0.03
# ... or while an agent works and nothing moves but a spinner or a clock.
SAMPLE_INTERVAL_TURNING = 1.0
# Output that has paused for this long is complete.
QUIESCENCE = 0.12
# A synchronized update that never ends is sampled after this long all the same.
SYNC_LIMIT = 0.5
# Rows or events since the last sample that make another one due at once: what scrolls by in a flood is
# held no longer than that.
_MAX_UNSAMPLED = 4000
_LONGEST = 256
"""Rows of one line that are read whatever is in them: a key of 16,384 bits in base64 has 200 of 20."""
_IS_WRAPPED = attrgetter("wrapped")


@dataclass(frozen=True, slots=True)
class Frame:
    """All that changed since the last sample."""

    rows: tuple[int, ...]
    scrolled: tuple[Line, ...]
    events: tuple[Event, ...]


class Changed(Protocol):
    """The part of the screen's `Changes` used here: rows touched, lines scrolled off, events."""

    @property
    def rows(self) -> tuple[int, ...]:
        """Indices of the rows that changed."""
        ...

    @property
    def scrolled(self) -> tuple[Line, ...]:
        """Lines lost to history, oldest first."""
        ...

    @property
    def events(self) -> tuple[Event, ...]:
        """Events other than drawing."""
        ...


def append_scrolled(lines: list[Line], changes: Changed) -> None:
    """Append the lines that scrolled off.

    A program that erases the history (ED 3) redraws it: the lines it erased are dropped.
    """
    wiped = [event.wiped for event in changes.events if isinstance(event, Cleared)]
    counts = [count for count in wiped if count is not None]
    if counts:
        lines.clear()
    lines += changes.scrolled[counts[-1] :] if counts else changes.scrolled


class EndlessWord:
    """Follows the rows that scroll off one screen.

    Rows of a word that does not end (a file without a line end, base64 of an image) are read by no
    person, and no agent says anything in them: the first are kept, no row with a blank is dropped.
    """

    def __init__(self) -> None:
        self._rows = 0  # of the line that has not ended

    def kept(self, lines: Sequence[Line]) -> list[Line]:
        """Return the rows to be read of those that scrolled off, in order."""
        if not any(map(_IS_WRAPPED, lines)):
            self._rows = 0 if lines else self._rows
            return list(lines)
        kept: list[Line] = []
        for line in lines:
            self._rows = self._rows + 1 if line.wrapped else 0
            if self._rows <= _LONGEST or " " in str(line):
                kept.append(line)
        return kept


class Sampler:
    """What changed since the last sample of one screen, and when the next one is due.

    `every_frame`: also sample each frame in which only a spinner turned.
    """

    def __init__(self, *, every_frame: bool) -> None:
        self.sampled_at = float("-inf")
        """When the screen was last sampled; minus infinity before that."""
        self.is_turning = False
        """Whether no more than a spinner has turned since then."""
        self._every_frame = every_frame
        self._rows: set[int] = set()
        self._scrolled: list[Line] = []
        self._events: list[Event] = []
        self._endless = EndlessWord()
        self._last_output: float | None = None
        self._first_output: float | None = None

    @property
    def is_unsampled(self) -> bool:
        """Whether there was output since the last sample."""
        return self._first_output is not None

    @property
    def is_flooded(self) -> bool:
        """Whether so much is waiting that a sample is due at once."""
        return max(len(self._scrolled), len(self._events)) > _MAX_UNSAMPLED

    def collect(self, changes: Changed) -> bool:
        """Keep what changed until the next sample; return whether rows of an endless word are left out."""
        self._rows.update(changes.rows)
        kept = self._endless.kept(changes.scrolled)
        is_whole = len(kept) == len(changes.scrolled) or any(
            isinstance(event, Cleared) for event in changes.events
        )
        if is_whole:
            append_scrolled(self._scrolled, changes)
        else:
            self._scrolled += kept
        for event in changes.events:
            if isinstance(event, Cleared):
                event = Cleared(None if event.wiped is None else 0)
            self._events.append(event)
        return not is_whole

    def note_output(self, at: float, *, turns: bool) -> None:
        """Note output at `at`; `turns`: no more than a spinner turned in it."""
        if self.is_turning and not turns:
            self.is_turning, self._first_output = False, None  # the frame begins here
        self._last_output = at
        if self._first_output is None:
            self._first_output = at

    def take(self, at: float) -> Frame:
        """Return all that changed since the last sample: the next one is taken at `at`."""
        frame = Frame(tuple(sorted(self._rows)), tuple(self._scrolled), tuple(self._events))
        self._rows, self._scrolled, self._events = set(), [], []
        self.sampled_at, self._first_output = at, None
        self.is_turning = not self._every_frame
        return frame

    def due(self, lines: int, *, synchronized: bool) -> float | None:
        """Return when to sample a screen of so many lines next; None if nothing changed."""
        if self._first_output is None or self._last_output is None:
            return None
        composed = self._first_output + SETTLE
        if self.is_turning:
            return max(composed, self.sampled_at + SAMPLE_INTERVAL_TURNING)
        moving = self._scrolled or len(self._rows) * 2 > lines
        paced = self.sampled_at + (SAMPLE_INTERVAL_MOVING if moving else SAMPLE_INTERVAL)
        when = min(max(composed, paced), max(self._last_output + QUIESCENCE, composed))
        if synchronized:
            when = max(when, min(self._last_output + QUIESCENCE, self._first_output + SYNC_LIMIT))
        return when
