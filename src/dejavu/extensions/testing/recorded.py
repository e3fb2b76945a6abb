"""`RecordedSession`: a recording (asciicast, raw bytes) as a screen that a test waits on.

Time is the recording's: nothing is waited for in fact, and what follows is always the same. O(bytes).
"""

import math
import os
from pathlib import Path

from dejavu.capsule import Event, Gap, Output, Recording, Resize
from dejavu.screen import Terminal

from .golden import Goldens
from .screen import Screen
from .view import QUIET, Masks, View

_CAN = b"\x18"  # ends the sequence that a gap cut in two


class RecordedSession(View):
    """A recording, wound forward by what a test waits for.

    Args:
        file: asciicast v2 or v3, or the bytes a terminal got.
        size: Columns and rows; by default those of the recording, which may change with it.
        masks: What changes from recording to recording.
        history: Lines kept above the screen.
        graphemes: As `dejavu.screen.Terminal` takes it.
        goldens: Where golden screens are kept; the fixture knows.

    Raises:
        OSError: The file cannot be read.
        CaptureError: It is an asciicast of an unknown version.
    """

    _rest_to_write = QUIET

    def __init__(
        self,
        file: str | os.PathLike[str],
        *,
        size: tuple[int, int] | None = None,
        masks: Masks = (),
        history: int = 10_000,
        graphemes: bool = False,
        goldens: Goldens | None = None,
    ) -> None:
        recording = Recording(file)
        columns, lines = size or (recording.columns or 80, recording.lines or 24)
        terminal = Terminal(columns, lines, history=history, graphemes=graphemes)
        super().__init__(Path(file).name, terminal, timeout=math.inf, masks=masks, goldens=goldens)
        self.recording = recording
        self._resizing = size is None
        self._events = iter(recording)
        self._next: Event | None = next(self._events, None)
        self._at = 0.0

    @property
    def at(self) -> float:
        """Seconds from the beginning."""
        return self._at

    @property
    def ended(self) -> bool:
        """Whether all of it was fed."""
        return self._next is None

    def forward(self, seconds: float | None = None) -> Screen:
        """Go to a time, to the end by default, and return the screen that stood there."""
        until = math.inf if seconds is None else seconds
        while self._next is not None and self._time(self._next) <= until:
            self._advance(math.inf)
        if seconds is not None:
            self._at = max(self._at, seconds)
        return self._drawn()

    def _time(self, event: Event) -> float:
        return max(self._at, float(getattr(event, "at", self._at)))

    def _now(self) -> float:
        return self._at

    def _advance(self, seconds: float) -> tuple[bool, float]:
        event, before = self._next, self._at
        if event is None:
            return False, seconds
        if self._time(event) - before > seconds:
            self._at += seconds
            return False, seconds
        self._at = self._time(event)
        match event:
            case Output(_, data):
                self._feed(data)
            case Resize(_, columns, lines) if self._resizing:
                self._terminal.resize(columns, lines)
            case Gap():
                self._feed(_CAN)
            case _:
                pass
        self._next = next(self._events, None)
        return True, self._at - before

    def _state(self) -> str:
        faults = "".join(f"\n{fault}" for fault in self.recording.faults[:3])
        return f"`{self.name}` at {self._at:.2f} s{' (its end)' * self.ended}{faults}"
