"""Synchronized updates (DEC mode 2026): when one that was never closed is over.

Judged by the text a program wrote since it opened the update: is it still painting? Real terminals
end a forgotten update by a timer. Here there is no clock, so an update is over when the program
does what no painter does in mid-frame: it asks, rings, names the window, edits by insertion or
tabs, or goes over the screen again and again. In our recordings of agents some 7,000 updates hold
only what is allowed here, and go back up the screen four times at most. Cost: O(length), and only
when a snapshot is asked for inside an update.
"""

import re

PASSES = 8  # times a frame may go back up the screen
SIZE = 1 << 20  # characters a frame may take

_POSITION = re.compile(r"\x1b\[([0-9]*)[;0-9]*[Hf]")
_PAINTING = re.compile(
    r"(?:[^\x00-\x1f\x7f]++|[\r\n]"  # text and new lines
    r"|\x1b\[[0-9;:]*+[A-DGHJKXdfmr]"  # positions, erasures, style, margins
    r"|\x1b\[\?(?:25|2026)[hl]|\x1b\[[0-9]*+ q"  # the cursor's look
    r"|\x1b\](?:8|12|112|133)[;\x07\x1b][^\x07\x1b]*+\x07?|\x1bM|\x1b\\)*+"
)


class SynchronizedUpdate:
    """The text of an update under way, judged only when someone wants to know."""

    __slots__ = ("_passes", "_row", "_size", "_unread")

    def __init__(self) -> None:
        self._passes = self._row = self._size = 0
        self._unread: list[str] = []

    def append(self, text: str) -> None:
        """More of the program's text; an update opened in it restarts the account."""
        opening = text.rfind("2026h")
        if opening >= 0:
            self._passes = self._row = self._size = 0
            self._unread = [text[opening + 5 :]]
        elif self._size <= SIZE:
            self._unread.append(text)
        self._size += len(text)

    def is_open(self) -> bool:
        """Whether all of it is the painting of one frame."""
        text = "".join(self._unread)
        self._unread = []
        for position in _POSITION.finditer(text):
            row = int(position[1][:5] or 1)
            self._passes += row < self._row
            self._row = row
        if self._size > SIZE or not _PAINTING.fullmatch(text):
            self._passes = PASSES + 1  # and so it stays
        return self._passes <= PASSES
