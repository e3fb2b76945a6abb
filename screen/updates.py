"""Synchronized updates (DEC mode 2026): when one that was never closed is over.

Takes the text a program wrote since it opened an update; says whether it is still painting.
Real terminals end a forgotten update by a timer. Here there is no clock, so an update is over
when the program does what no painter does in mid-frame: it asks, rings, names the window, edits
by insertion or tabs, or goes over the screen again and again. In our recordings of agents some
7,000 updates hold only what is allowed here, and go back up the screen four times at most.
Cost: O(length), and only for input that ends inside an update.
"""

import re

PASSES = 8  # times a frame may go back up the screen
SIZE = 1 << 20  # characters a frame may take

_OPENED = re.compile(r"\x1b\[\?(?:[0-9]+;)*2026h")
_POSITION = re.compile(r"\x1b\[([0-9]*)[;0-9]*[Hf]")
_PAINTING = re.compile(
    r"(?:[^\x00-\x1f\x7f]++|[\r\n]"  # text and new lines
    r"|\x1b\[[0-9;:]*+[A-DGHJKXdfmr]"  # positions, erasures, style, margins
    r"|\x1b\[\?(?:25|2026)[hl]|\x1b\[[0-9]*+ q"  # the cursor's look
    r"|\x1b\](?:8|12|112|133)[;\x07\x1b][^\x07\x1b]*+\x07?|\x1bM|\x1b\\)*+"
)


class Update:
    """An update under way; `still_open` is told every piece of text, in order."""

    __slots__ = ("_passes", "_row", "_size")

    def __init__(self) -> None:
        self._passes = self._row = self._size = 0

    def still_open(self, text: str) -> bool:
        """Whether the program is still painting the same frame after this text."""
        opened = None
        for opened in _OPENED.finditer(text):
            pass
        if opened:
            self._passes = self._row = self._size = 0
        start = opened.end() if opened else 0
        self._size += len(text) - start
        for position in _POSITION.finditer(text, start):
            row = int(position[1][:5] or 1)
            self._passes += row < self._row
            self._row = row
        return (
            self._passes <= PASSES
            and self._size <= SIZE
            and _PAINTING.fullmatch(text, start) is not None
        )
