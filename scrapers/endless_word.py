"""Rows of a word that does not end: a file without a line end, base64 of an image, a broken program.

No person reads on there, and no agent says anything in it. Its first rows are kept, those that follow
are left out before anything reads them. Must not drop a row with a blank in it. Cost: O(1) a row, and
O(its characters) for the rows of a line that has become long.
"""

from collections.abc import Sequence

from dejavu.screen import Line

__all__ = ["EndlessWord"]

_LONGEST = 256
"""Rows of one line that are read whatever is in them: a key of 16,384 bits in base64 has 200 of 20."""


class EndlessWord:
    """Follows the rows that scroll off one screen."""

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
