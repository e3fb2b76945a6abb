"""A text read out of another, each of whose characters knows where it was read.

The base knows the rows. No I/O. Cost: linear in the text.

Tested in: tests/redact/test_reading_windows.py
"""

import re
from bisect import bisect_left
from collections.abc import Sequence

from .joined_text import JoinedText, Joints, Span

__all__ = ["DerivedText", "Reading"]

_COLOUR = re.compile(r"(?:\x1b|␛|\bESC|\^\[|\\e)\[[0-9;:]{0,24}m")


class DerivedText(JoinedText):
    """A text whose characters were read from places in another."""

    def __init__(
        self, base: JoinedText, text: str, starts: Sequence[int], ends: Sequence[int]
    ) -> None:
        """`starts` and `ends`: where in the base each character was read."""
        super().__init__()
        self._base, self._text, self._from, self._to = base, text, starts, ends

    @property
    def joints(self) -> Joints:
        """Where the base was joined."""
        joints = self._base.joints
        return Joints([bisect_left(self._from, at) for at in joints.offsets], joints.evidence)

    @property
    def text(self) -> str:
        """What was read."""
        return self._text

    def place(self, at: int) -> int:
        """Return where in the base a character was read."""
        return self._from[at]

    def spans(self, start: int, end: int) -> list[Span]:
        """Return where the characters `[start, end)` were read, row by row."""
        return self._base.spans(self._from[start], self._to[end - 1])


class Reading:
    """Collects the characters of a derived text."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.parts: list[str] = []
        self.starts: list[int] = []
        self.ends: list[int] = []

    def copy(self, start: int, end: int) -> None:
        """Append a part of the base as it is."""
        self.parts.append(self.text[start:end])
        self.starts += range(start, end)
        self.ends += range(start + 1, end + 1)

    def put(self, char: str, start: int, end: int) -> None:
        """Append one character read from a part of the base."""
        self.parts.append(char)
        self.starts.append(start)
        self.ends.append(end)

    def put_line(self, chars: str, starts: Sequence[int], ends: Sequence[int], first: int) -> None:
        """Append characters, each read from a part of the base; a line end at `first` follows."""
        self.parts += (chars, "\n")
        self.starts += (*starts, first)
        self.ends += (*ends, first + 1)

    def of(self, base: JoinedText) -> DerivedText:
        """Return the text without the sequences that colour it."""
        text = "".join(self.parts)
        if (first := _COLOUR.search(text)) is None:
            return DerivedText(base, text, self.starts, self.ends)
        kept, starts, ends, at = list[str](), list[int](), list[int](), 0
        for colour in (first, *_COLOUR.finditer(text, first.end())):
            kept.append(text[at : colour.start()])
            starts += self.starts[at : colour.start()]
            ends += self.ends[at : colour.start()]
            at = colour.end()
        return DerivedText(
            base, "".join(kept) + text[at:], starts + self.starts[at:], ends + self.ends[at:]
        )
