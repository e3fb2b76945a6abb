"""Where the turns of a conversation stand, in lines, before most of them were drawn.

A turn not yet drawn counts `GUESS` lines. O(turns) after heights changed, O(log turns) a question.

Tested in: tests/interfaces/tui/test_conversation_view.py
"""

from bisect import bisect_right
from itertools import accumulate

GUESS = 4


class TurnLayout:
    """Heights of turns, and the line that each begins at."""

    def __init__(self, turns: int = 0) -> None:
        self._heights = [GUESS] * turns
        self._tops = [0]
        self.measure()

    def __len__(self) -> int:
        return len(self._heights)

    @property
    def lines(self) -> int:
        """All lines, as far as they are known."""
        return self._tops[-1]

    def top(self, seq: int) -> int:
        """Return the first line of a turn; of the one after the last, the line after all."""
        return self._tops[seq]

    def at(self, y: float) -> int:
        """Return the turn that line `y` is in, or the nearest."""
        return max(0, min(bisect_right(self._tops, y) - 1, len(self._heights) - 1))

    def height(self, seq: int) -> int:
        """Return the lines of a turn."""
        return self._heights[seq]

    def set_height(self, seq: int, height: int) -> bool:
        """Note the lines of a turn that was drawn; True if that is news. `measure` comes after."""
        changed = self._heights[seq] != height
        self._heights[seq] = height
        return changed

    def grow(self, turns: int) -> None:
        """Take in the turns that have come since."""
        self._heights += [GUESS] * (turns - len(self._heights))
        self.measure()

    def measure(self) -> None:
        """Sum the heights up. O(turns)."""
        self._tops = [0, *accumulate(self._heights)]
