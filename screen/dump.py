"""The terminal written out again: bytes that make a fresh one of the same size equal to it.

Written are history, both screens, cursors, margins, modes, tab stops and the title.
An update under way (?2026) is written as if it had ended. Cost: O(cells written).
"""

import re
from collections.abc import Iterable, Iterator

from .attributes import BG, DEFAULT, LINK, LINK_AT
from .drawing import JOINING
from .row import CONTINUED, EMPTY, FILLER, SAME_STYLE, Row
from .state import TAB_WIDTH, SavedCursor, Screen, State

_CELL = re.compile(f".{FILLER}?", re.DOTALL)


def dump(state: State, *, history: bool = True) -> str:
    """The whole terminal; without `history` only what is on its screens."""
    return "".join(_Writer(state).terminal(history))


def mode_sequences(state: State) -> str:
    """All but the text: modes, keyboard flags, margins, tab stops, and the cursor with its style.

    For a terminal of the same size that shows the same picture.
    """
    writer, screen = _Writer(state), state.screen
    parts = [f"\x1b[>{flags}u" for flags in screen.keyboard[1:]]
    if (screen.top, screen.bottom) != (0, state.lines - 1):
        parts.append(f"\x1b[{screen.top + 1};{screen.bottom + 1}r")
    return "".join((*parts, *writer.tabs(), *writer.modes(), *writer.cursor()))


class _Writer:
    """Writes one terminal; knows the style in force where it has got to."""

    def __init__(self, state: State) -> None:
        self.state = state
        self.style = 0

    def terminal(self, history: bool) -> Iterator[str]:
        state = self.state
        yield from self._below_each_other([*(state.history if history else ()), *state.main.rows])
        yield from self._of_screen(state.main)
        if state.screen is state.alternate:
            yield from self._set_style(0)
            yield "\x1b[?47h\x1b[H"
            yield from self._below_each_other(state.rows)
            yield from self._of_screen(state.alternate)
        yield from self.tabs()
        for title in state.titles:
            yield f"\x1b]2;{title}\x1b\\\x1b[22;2t"
        if state.title or state.titles:
            yield f"\x1b]2;{state.title}\x1b\\"
        yield from self.modes()
        yield from self.cursor()

    # --------------------------------------------------------------------------------- text

    def _below_each_other(self, rows: list[Row]) -> Iterator[str]:
        """Rows one below the other, so that those that do not fit scroll into history."""
        for row, following in zip(rows, [*rows[1:], None], strict=True):
            yield from self._row(row)
            if following is None:
                return
            yield from self._set_style(0)  # or a row scrolled in takes its background
            yield from self._wrap(row) if following[2] & CONTINUED else ("\r\n",)

    def _wrap(self, row: Row) -> Iterator[str]:
        """On to the next row as autowrap goes there, which marks it as a continuation."""
        columns = self.state.columns
        cells, attributes, _ = row
        last = self.state.palette.styles.get(attributes[columns - 1 :], 0)
        if cells[columns - 1 :] and (cells[-1] != EMPTY or last & BG != last):
            yield " \r\x1b[X"
        else:  # the row has to be full for a moment
            yield f"\x1b[{columns}G  \x1b[A\x1b[{columns}G"
            yield from self._set_style(last)
            yield "\x1b[X\r\x1b[B"
            yield from self._set_style(0)
            yield "\x1b[X"

    def _row(self, row: Row) -> Iterator[str]:
        """The cells of a row from its first column; what holds nothing is jumped over."""
        cells, attributes, _ = row
        state = self.state
        for match in SAME_STYLE.finditer(attributes):
            style = state.palette.styles.get(match[1], 0)
            for piece in _split(cells[match.start() : match.end()]):
                if piece[0] != EMPTY:
                    yield from self._set_style(style)
                    yield self._text(piece)
                elif match[1] == DEFAULT:
                    yield f"\x1b[{len(piece)}C"
                elif style & BG == style:
                    yield from self._set_style(style)
                    yield f"\x1b[{len(piece)}X\x1b[{len(piece)}C"
                else:
                    yield from self._set_style(style)
                    yield " " * len(piece)

    def _text(self, piece: str) -> str:
        """Cells as text; those that would join if drawn in one run, with the style told between."""
        text = self.state.clusters.text(piece)
        if not (self.state.graphemes and JOINING.search(text)):
            return text
        between = f"\x1b[{self.state.palette.sgr(self.style)}m"
        return between.join(map(self.state.clusters.text, _CELL.findall(piece)))

    def _set_style(self, style: int) -> Iterable[str]:
        """SGR and OSC 8, where they are needed."""
        if style == self.style:
            return
        if (style ^ self.style) & LINK:
            yield f"\x1b]8;;{self.state.palette.links.get(style >> LINK_AT, '')}\x1b\\"
        self.style = style
        yield f"\x1b[{self.state.palette.sgr(style)}m"

    # -------------------------------------------------------------------------------- state

    def _of_screen(self, screen: Screen) -> Iterator[str]:
        """What a screen has for itself: saved cursor, margins, keyboard flags."""
        if (screen.top, screen.bottom) != (0, self.state.lines - 1):
            yield f"\x1b[{screen.top + 1};{screen.bottom + 1}r"
        yield from self._saved(screen.saved, screen.top)
        for flags in screen.keyboard[1:]:
            yield f"\x1b[>{flags}u"

    def _saved(self, saved: SavedCursor, top: int) -> Iterator[str]:
        """DECSC as it was done: what it saves is put in force first."""
        row = saved.y - top if saved.origin else saved.y
        yield "\x1b[?6h" if saved.origin else ""
        yield f"\x1b[{max(row, 0) + 1};{min(saved.x, self.state.columns - 1) + 1}H"
        yield from self._set_style(saved.style)
        yield from _charsets(saved.charset, saved.charsets)
        yield "\x1b7\x1b[?6l"
        yield from _charsets(0, "BBBB")

    def tabs(self) -> Iterator[str]:
        """Tab stops, where they are not the usual ones."""
        state = self.state
        if state.tabs != set(range(TAB_WIDTH, state.columns, TAB_WIDTH)):
            yield "\x1b[3g"
            for stop in sorted(state.tabs):
                yield f"\x1b[{stop + 1}G\x1bH"

    def modes(self) -> Iterator[str]:
        """Modes that are set, and how the cursor looks."""
        state = self.state
        for mode in sorted(state.modes):
            yield f"\x1b[?{mode}h"
        if not state.cursor_visible:
            yield "\x1b[?25l"
        if state.cursor_shape:
            yield f"\x1b[{state.cursor_shape} q"
        if state.newline:
            yield "\x1b[20h"

    def cursor(self) -> Iterator[str]:
        """The cursor last, and with it what would disturb writing: origin, insert, autowrap."""
        state = self.state
        x, y = state.x, state.y
        if state.origin:
            yield "\x1b[?6h"
            y -= state.top
        cells, attributes, _ = state.rows[state.y]
        if x >= state.columns and len(cells) >= x and cells[-1] != EMPTY:
            # A full line: its last character is written again, so that the next one wraps.
            x = state.columns - (2 if cells[-1] == FILLER else 1)
            yield f"\x1b[{y + 1};{x + 1}H"
            yield from self._row((cells[x:], attributes[x:], 0))
        else:
            yield f"\x1b[{y + 1};{min(x, state.columns - 1) + 1}H"
        yield from self._set_style(state.style)
        yield from _charsets(state.charset, state.charsets)
        if state.insert:
            yield "\x1b[4h"
        if not state.autowrap:
            yield "\x1b[?7l"


def _split(cells: str) -> Iterator[str]:
    """The cells, cut where cells that hold nothing begin and end."""
    start = 0
    for at in range(1, len(cells) + 1):
        if at == len(cells) or (cells[at] == EMPTY) != (cells[start] == EMPTY):
            yield cells[start:at]
            start = at


def _charsets(charset: int, charsets: str) -> Iterator[str]:
    """Designations of G0 to G3, and which of them is in use."""
    yield "".join(f"\x1b{slot}{code}" for slot, code in zip("()*+", charsets, strict=True))
    yield ("\x0f", "\x0e", "\x1bn", "\x1bo")[charset]
