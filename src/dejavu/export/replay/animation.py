"""Which frames of a recording a film shows, and for how long.

Frames that stood for less than `APART` seconds give way to the next, long waits are cut, and the
last frame stays long enough to be read. O(frames), one of them in memory.
"""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from dejavu.screen import Snapshot

from .playback import Frame

APART = 0.1
_LAST = 3.0


class AnimationFrame(NamedTuple):
    """A frame and the seconds it is shown."""

    snapshot: Snapshot
    seconds: float


def animate(frames: Iterable[Frame], *, idle: float = 2.0) -> Iterator[AnimationFrame]:
    """The pictures of `frames`; no picture is shown for more than `idle` seconds but the last."""
    current: Frame | None = None
    since = 0.0
    for frame in frames:
        if current is not None and _same(current.snapshot, frame.snapshot):
            continue
        if current is not None and frame.at - since >= APART:
            yield AnimationFrame(current.snapshot, min(frame.at - since, idle))
            since = frame.at
        elif current is None:
            since = frame.at
        current = frame
    if current is not None:
        yield AnimationFrame(current.snapshot, _LAST)


def _same(one: Snapshot, other: Snapshot) -> bool:
    """Whether both look alike: a title or a state makes no picture."""
    return (one.rows, one.styles, one.cursor) == (other.rows, other.styles, other.cursor)
