"""The screen of the demo agent: a transcript, a status line, a dialog or a prompt box, a footer.

Rows that changed are painted inside one synchronized update (DEC private mode 2026), as real
agents do. Wrapping counts cells, not characters. Knows nothing of time or of the script.

Tested in: tests/interfaces/test_demo.py
"""

import sys
from collections.abc import Iterator
from dataclasses import dataclass, field

from wcwidth import wcswidth

_DIM, _BOLD, _RESET = "\x1b[2m", "\x1b[1m", "\x1b[0m"


def wrap(text: str, columns: int, first: str, rest: str) -> Iterator[str]:
    """`text` in rows of at most `columns` cells, behind `first` and then `rest`."""
    lead = first
    for line in text.split("\n"):
        row = lead
        for word in line.split(" "):
            while word:
                glue = "" if row in (first, rest) else " "
                if wcswidth(row + glue + word) <= columns:
                    row, word = row + glue + word, ""
                elif glue:
                    yield row
                    row = rest
                else:  # one word wider than the row
                    cut = next(
                        n
                        for n in range(len(word), 0, -1)
                        if n == 1 or wcswidth(row + word[:n]) <= columns
                    )
                    yield row + word[:cut]
                    row, word = rest, word[cut:]
        yield row.rstrip() if not row.strip() else row
        lead = rest


@dataclass
class View:
    """The screen of the demo agent; `paint` shows it."""

    columns: int
    lines: int
    transcript: list[str] = field(default_factory=list[str])
    streaming: list[str] = field(default_factory=list[str])
    status: str = ""
    dialog: list[str] = field(default_factory=list[str])
    draft: str = ""
    title: str = ""
    _shown: list[str] = field(default_factory=list[str])
    _titled: str = ""

    def open(self) -> None:
        """Take the alternate screen."""
        sys.stdout.write("\x1b[?1049h\x1b[2J\x1b[H\x1b[?25l")

    def close(self) -> None:
        """Give the screen back."""
        sys.stdout.write("\x1b[?25h\x1b[?1049l")
        sys.stdout.flush()

    def resize(self, columns: int, lines: int) -> None:
        """Redraw everything at another size."""
        self.columns, self.lines, self._shown = columns, lines, []
        sys.stdout.write("\x1b[2J")

    def rows(self) -> list[str]:
        """The whole screen, top row first; colours included."""
        rule = _DIM + "─" * self.columns + _RESET
        if self.dialog:
            below = [rule, *(" " + row for row in self.dialog)]
        else:
            draft = list(wrap(self.draft, self.columns - 1, "❯ ", "  "))
            below = ["", rule, *draft, rule, _DIM + "  ? for shortcuts" + _RESET]
        status = ["", self.status] if self.status else []
        body = [*self.transcript, *self.streaming, *status]
        room = self.lines - len(below)
        shown = body[-room:] if len(body) > room else body
        return [*shown, *[""] * (room - len(shown)), *below][: self.lines]

    def paint(self) -> None:
        """Write the rows that changed since the last time."""
        out = ["\x1b[?2026h"]
        if self.title != self._titled:
            out.append(f"\x1b]0;{self.title}\x07")
            self._titled = self.title
        rows = self.rows()
        for at, row in enumerate(rows):
            if at >= len(self._shown) or self._shown[at] != row:
                out.append(f"\x1b[{at + 1};1H{row}\x1b[K")
        self._shown = rows
        out.append("\x1b[?2026l")
        sys.stdout.write("".join(out))
        sys.stdout.flush()

    def say(self, first: str, text: str, *, bold: bool = False) -> list[str]:
        """`text` as rows of the transcript behind the glyph `first`."""
        rows = list(wrap(text, self.columns - 2, first, " " * wcswidth(first)))
        return [_BOLD + row + _RESET for row in rows] if bold else rows
