"""Terminal bytes that show what a multiplexer printed of a pane, for our own terminal to read.

`restore` rebuilds a terminal from tmux's grids (history, both screens, modes, cursor); `paint`
draws one frame over what is there. Of what a multiplexer prints only text and SGR pass, so that
what is on a screen cannot move our cursor. Cost: O(characters).
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from .multiplexer import Frame

_SGR = re.compile(r"\x1b\[[0-9;:]*m")
_CONTROL = re.compile(
    r"\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b\[[0-?]*[ -/]*[@-~]|\x1b.?|[\x00-\x1f\x7f-\x9f]",
    re.DOTALL,
)
_SHIFTS = "\x0e\x0f"  # tmux prints line drawing in G1
_BRACKETED_PASTE = "\x1b[?2004h"
"""Whether a program asked for it is not told: it is assumed, and the multiplexer decides at the time."""


class GridState(NamedTuple):
    """What tmux tells of a pane besides its cells; rows and columns count from 0."""

    columns: int
    lines: int
    cursor: tuple[int, int]
    alternate: bool
    cursor_visible: bool = True
    insert: bool = False
    autowrap: bool = True
    origin: bool = False
    region: tuple[int, int] = (0, 0)
    application_cursor: bool = False
    saved_cursor: tuple[int, int] = (0, 0)
    title: str = ""


def restore(
    state: GridState, history: Sequence[str], main: Sequence[str], alternate: Sequence[str] = ()
) -> bytes:
    """Bytes that make a terminal of the state's size show a pane as tmux has it.

    Lines that wrap are given whole (`capture-pane -J`), so that they wrap here too. `alternate`
    is drawn on the alternate screen, with `main` below it.
    """
    return "".join(_restored(state, history, main, alternate)).encode("utf-8", "replace")


def _restored(
    state: GridState, history: Sequence[str], main: Sequence[str], alternate: Sequence[str]
) -> Iterator[str]:
    # CAN ends a sequence that was cut, DECSTR the modes; nothing is wiped from the history.
    yield "\x18\x1b[!p\x1b[?1049l\x1b[?7h\x1b[r\x1b[m\x1b)0\x0f\x1b[H\x1b[J"
    yield from _below_each_other([*history, *main])
    if state.alternate:
        yield _cursor(state.saved_cursor) + "\x1b[?1049h\x1b[m\x1b[H"
        yield from _below_each_other(alternate)
    yield "\x0f\x1b)B\x1b[m" + (f"\x1b]2;{_printable(state.title)}\x1b\\" if state.title else "")
    top, bottom = state.region
    if 0 <= top < bottom < state.lines and (top, bottom) != (0, state.lines - 1):
        yield f"\x1b[{top + 1};{bottom + 1}r"
    yield _BRACKETED_PASTE + ("" if state.cursor_visible else "\x1b[?25l")
    row, column = state.cursor
    yield ("\x1b[?6h" if state.origin else "") + _cursor(
        (row - top if state.origin else row, min(column, state.columns - 1))
    )
    yield "\x1b[?1h" if state.application_cursor else ""
    yield ("\x1b[4h" if state.insert else "") + ("" if state.autowrap else "\x1b[?7l")


def paint(frame: Frame, *, first: bool) -> bytes:
    """Bytes that draw `frame` over whatever our terminal of its size shows.

    `first`: the scrollback goes in above it, and modes that are unknown are set.
    """
    return "".join(_painted(frame, first)).encode("utf-8", "replace")


def _painted(frame: Frame, first: bool) -> Iterator[str]:
    if first:
        yield "\x18\x1b[!p\x1b[H"
        history = [_clean(row, frame.styled) for row in frame.history]
        yield from _below_each_other([*history, *[""] * frame.lines] if history else [])
        yield _BRACKETED_PASTE
    yield f"\x1b[?1049{'h' if frame.alternate else 'l'}\x1b[r\x1b[?7l\x1b)0\x0f"
    yield f"\x1b]2;{_printable(frame.title)}\x1b\\" if frame.title else ""
    rows = [*frame.rows[: frame.lines], *[""] * (frame.lines - len(frame.rows))]
    for index, row in enumerate(_with_own_style(rows, frame.styled)):
        yield f"\x1b[{index + 1};1H{row}\x0f\x1b[m\x1b[K"
    yield f"\x1b[?25{'h' if frame.cursor_visible else 'l'}"
    yield f"\x1b[?1{'h' if frame.application_cursor else 'l'}"
    yield "\x1b)B\x1b[?7h" + _cursor(frame.cursor or _end_of_text(rows, frame.columns))


def _end_of_text(rows: Sequence[str], columns: int) -> tuple[int, int]:
    """Where the text ends: a guess at a cursor that is not told."""
    last = max((index for index, row in enumerate(rows) if row.strip()), default=0)
    return last, min(len(_SGR.sub("", rows[last]).rstrip()) if rows else 0, columns - 1)


def _below_each_other(rows: Iterable[str]) -> Iterator[str]:
    """Rows one below the other; a row scrolled in must not take the style before it as its own."""
    between = ""
    for row in _with_own_style(rows, styled=True):
        yield f"{between}{row}\x0f\x1b[m"
        between = "\r\n"


def _with_own_style(rows: Iterable[str], styled: bool) -> Iterator[str]:
    """Rows that begin with the style that the row before left in force."""
    style = shift = ""
    for row in rows:
        text = _clean(row, styled)
        yield f"{shift}{style}{text}"
        for match in _SGR.finditer(text):
            parameters = match[0][2:-1]
            reset = parameters in ("", "0") or parameters.startswith("0;")
            style = match[0] if reset else style + match[0]
        style = style[-1024:] if len(style) <= 1024 else ""  # tmux names each attribute again
        shift = {"\x0e": "\x0e", "\x0f": ""}.get(
            next((c for c in reversed(text) if c in _SHIFTS), ""), shift
        )


def _clean(row: str, styled: bool) -> str:
    """The row without what is neither text nor, where there are styles, SGR."""

    def kept(match: re.Match[str]) -> str:
        return match[0] if styled and (match[0] in _SHIFTS or _SGR.fullmatch(match[0])) else ""

    return _CONTROL.sub(kept, row)


def _printable(text: str) -> str:
    return _CONTROL.sub("", text)


def _cursor(position: tuple[int, int]) -> str:
    return f"\x1b[{max(0, position[0]) + 1};{max(0, position[1]) + 1}H"
