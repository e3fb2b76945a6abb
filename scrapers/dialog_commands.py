"""What dialogs asked for, kept to complete the calls that a transcript cuts short.

Takes the segmentations of a session's screens; gives back a call's argument in full where a
dialog once showed it. Knows the last `_KEPT` dialogs. Cost: O(rows of the dialog) a screen.
"""

import re
from collections import deque
from collections.abc import Sequence

from .blocks import Piece
from .packs import Chrome
from .pattern import Pattern
from .rows import Row
from .segment import Layout
from .unwrap import reflow
from .width import width

_KEPT = 64
# The right side of the boxes a row stands in.
_BORDERS = re.compile(r"(?: ?[│┃])+$")


class Asked:
    """The commands the dialogs of one session asked for."""

    def __init__(self, chrome: Chrome) -> None:
        self._pattern = chrome.asked
        self._margin = chrome.pack.margin
        self._commands: deque[str] = deque(maxlen=_KEPT)

    def note(self, layout: Layout) -> None:
        """Remember the command of the dialog on a screen, if there is one."""
        if self._pattern is None:
            return
        for region in layout.regions:
            if region.name == "dialog":
                rows = layout.rows[region.top : region.bottom]
                command = reflow(
                    _pieces(self._pattern, rows, region.right), self._margin, markdown=False
                )
                if command and command not in self._commands:
                    self._commands.append(command)

    def whole(self, text: str) -> str:
        """The text; if it ends in an ellipsis, what it is the start of, where that is known."""
        start = " ".join(text.removesuffix("…").split())
        if text.endswith("…") and start:
            for command in reversed(self._commands):
                if " ".join(command.split()).startswith(start):
                    return command
        return text


def _pieces(pattern: Pattern, rows: Sequence[str], columns: int) -> list[Piece]:
    """The rows of a dialog that spell out what it asks for, without the box around them."""
    pieces: list[Piece] = []
    for text in rows:
        inside = _BORDERS.sub("", text)
        row = Row(text, False, width(inside) if len(inside) < len(text) else columns)
        if not pieces:
            found = pattern.match(text)
            if found is not None:
                start = found.start("text")
                pieces.append(Piece(inside[start:].rstrip(), start, row))
            continue
        rest = inside.strip("┃│ ")
        if not rest or rest[0] in "╰└─╌━":
            break
        pieces.append(Piece(rest, pieces[0].left, row))
    return pieces
