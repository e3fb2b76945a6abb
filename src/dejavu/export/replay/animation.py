"""A recording as a film: which pictures are shown, and for how long.

Takes frames; gives shots. Pictures that stood for less than `APART` seconds give way to the next,
long waits are cut, and the last picture stays long enough to be read. Costs O(frames), one picture
in memory.
"""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from dejavu.screen import Snapshot

from .playback import Frame

APART = 0.1
_LAST = 3.0


class Shot(NamedTuple):
    """A picture and the seconds it is shown."""

    snapshot: Snapshot
    seconds: float


def film(frames: Iterable[Frame], *, idle: float = 2.0) -> Iterator[Shot]:
    """The shots of `frames`; no picture is shown for more than `idle` seconds but the last."""
    held: Frame | None = None
    since = 0.0
    for frame in frames:
        if held is not None and _same(held.snapshot, frame.snapshot):
            continue
        if held is not None and frame.at - since >= APART:
            yield Shot(held.snapshot, min(frame.at - since, idle))
            since = frame.at
        elif held is None:
            since = frame.at
        held = frame
    if held is not None:
        yield Shot(held.snapshot, _LAST)


def _same(one: Snapshot, other: Snapshot) -> bool:
    """Whether both look alike: a title or a state makes no picture."""
    return (one.rows, one.styles, one.cursor) == (other.rows, other.styles, other.cursor)
