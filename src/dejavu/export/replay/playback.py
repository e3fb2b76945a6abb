"""A recording fed through screen and scrapers, a `Frame` for every reading of the rules.

A frame is what stood on the screen, when, and how the rules read it. O(bytes); only the frame at
hand is held.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from dejavu.capsule import Event, Gap, Output, Recording, Resize
from dejavu.scrapers import SessionReader, State
from dejavu.screen import Snapshot

_SETTLING = 100  # looks that may follow the last event
# Raw bytes have no times. To have something to step through, they are read as if they came in
# pieces of so many bytes, so many seconds apart.
_PIECE, _APART = 4096, 0.1


@dataclass(frozen=True, slots=True)
class Frame:
    """What one look saw. `at` is in seconds, `offset` counts the bytes of output up to here.

    `number` counts from 1 the frames that differ from the one before; `fresh` is true for those.
    `events` are the output, resizes and gaps since the look before.
    """

    number: int
    fresh: bool
    at: float
    offset: int
    snapshot: Snapshot
    state: State
    rule: str
    events: tuple[Event, ...]


class Playback:
    """The looks of `reader` at `recording`; iterate once. `resizing` lets the window change."""

    def __init__(
        self, recording: Recording, reader: SessionReader, *, resizing: bool = True
    ) -> None:
        self.recording, self.reader = recording, reader
        self._resizing = resizing
        self._offset = 0
        self._since: list[Event] = []

    def looks(self, events: Iterable[Event]) -> Iterator[float]:
        """Feed everything; yield the time of each reading, right after it was made."""
        reader, at = self.reader, 0.0
        for event in events:
            at = max(at, getattr(event, "at", at))
            yield from self._ticks(at)
            self._feed(event, at)
        for _ in range(_SETTLING):  # what was still waiting to settle
            if reader.due is None:
                break
            at = max(at, reader.due)
            yield from self._ticks(at)
        before = reader.reading
        reader.exit(None, at)
        if reader.reading is not before:
            yield at

    def _ticks(self, at: float) -> Iterator[float]:
        """Every tick that is due at `at`."""
        reader = self.reader
        while reader.due is not None and reader.due <= at:
            due, before = reader.due, reader.reading
            reader.tick(due)
            if reader.reading is not before:
                yield due

    def _feed(self, event: Event, at: float) -> None:
        match event:
            case Output(_, data):
                self.reader.output(data, at)
            case Resize(_, columns, lines) if self._resizing:
                self.reader.resize(columns, lines, at)
            case Gap(_, lost):
                self.reader.gap(lost, at)
            case _:
                pass

    def __iter__(self) -> Iterator[Frame]:
        number = 0
        last: tuple[Snapshot, State, str] | None = None
        for at in self.looks(self._noted(_paced(self.recording))):
            reading = self.reader.reading
            if reading is None:
                continue
            state = self.reader.state if reading.hold else reading.state
            look = (self.reader.terminal.snapshot(), state, reading.rule)
            fresh = look != last
            number, last = number + fresh, look
            yield Frame(number, fresh, at, self._offset, *look, tuple(self._since))
            self._since.clear()

    def _noted(self, events: Iterable[Event]) -> Iterator[Event]:
        """The events, each noted once it has been fed, which is when the next one is asked for."""
        for event in events:
            yield event
            if isinstance(event, Output):
                self._offset += len(event.data)
            if self._resizing or not isinstance(event, Resize):
                self._since.append(event)

    def frames(self) -> Iterator[Frame]:
        """The frames that differ from the one before."""
        return (frame for frame in self if frame.fresh)


def _paced(recording: Recording) -> Iterator[Event]:
    """The events; those of raw bytes in pieces, at times of our own."""
    if recording.format != "raw":
        yield from recording
        return
    at = 0.0
    for event in recording:
        if isinstance(event, Output):
            for start in range(0, len(event.data), _PIECE):
                yield Output(at, event.data[start : start + _PIECE])
                at += _APART
