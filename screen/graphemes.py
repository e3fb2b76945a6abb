"""Emoji of several characters in one cell, for those who ask for it.

Terminals disagree: xterm.js and tmux put every emoji of `🧑‍💻` in its own cells, terminals with
DEC private mode 2027 (and most agents' own idea of widths) take the whole for two columns. An
agent that moves its cursor by the second idea overwrites, on a terminal of the first, what it has
just drawn. A caller that wants what the agent meant, and not what xterm.js shows, asks for graphemes:
then what follows a ZWJ, a skin tone, and the second of two regional indicators join the cell
before the cursor. A program that asks about mode 2027 gets the answer that it is unknown and counts cell
by cell, and one that sets it counts by clusters: from there on that is what is done. Narrow signs
after a ZWJ (♂ ♀) stand alone in either case.

Cost: O(length).
"""

import re

from .clusters import FILLER
from .drawing import Drawing

GRAPHEME_MODE = 2027  # as contour, ghostty and wezterm have it
_ZWJ = "\u200d"
_TONES = "\U0001f3fb-\U0001f3ff"
_FLAGS = "\U0001f1e6-\U0001f1ff"
JOINING = re.compile(f"[{_ZWJ}{_TONES}{_FLAGS}]")
_TONE = re.compile(f"[{_TONES}]")
_FLAG = re.compile(f"[{_FLAGS}]")
_PICTURE = re.compile("[\u2600-\u27bf\u2b00-\u2bff\U0001f000-\U0001faff]")
_BASE = re.compile("[\u261d\u26f9\u270a-\u270d\U0001f385-\U0001faff]")  # what a skin tone can be on


class Graphemes(Drawing):
    """Drawing that knows clusters of emoji, where `graphemes` is on."""

    __slots__ = ()

    def draw_mixed(self, text: str) -> None:
        """Text of the tokenizer's MIXED class."""
        if self.graphemes and (JOINING.search(text) or self._before().endswith(_ZWJ)):
            for character in text:
                self._draw_one(character)
        else:
            super().draw_mixed(text)

    def _before(self) -> str:
        """What is in the cell just drawn; empty if anything came between."""
        cells = self.last.rstrip(FILLER)[-1:]
        return self.clusters.texts.get(cells, cells)

    def _draw_one(self, character: str) -> None:
        before = self._before()
        joined = before.endswith(_ZWJ) and _PICTURE.match(character)
        toned = _TONE.match(character) and _BASE.fullmatch(before)
        if joined or toned:
            self.put_marks(character)
        elif _FLAG.match(character) and _FLAG.fullmatch(before):
            self._widen(character)
        else:
            self.draw(character)

    def _widen(self, second: str) -> None:
        """Two regional indicators make one flag of two columns, where there is room for it."""
        if self.x >= self.columns:
            self.draw(second)
            return
        self.put_marks(second)
        cell = self.last
        self.write_cells(FILLER)
        self.last = cell + FILLER
