"""The rows of a snapshot as runs of one style, with every colour resolved.

Runs cover what is not blank, for `svg` and `gif`. The sixteen named colours are ours, the other 240
are xterm's. O(cells).
"""

from collections.abc import Iterator
from itertools import groupby
from typing import NamedTuple

from wcwidth import wcwidth

from dejavu.redact.sanitise import sanitise
from dejavu.screen import Color, Snapshot, Style

INK, PAPER = "#dcdcd7", "#16181b"
_NAMED = (
    "#2a2e33", "#e5786d", "#8fc77c", "#e0b765", "#7aa7e0", "#c792d8", "#6fc5bf", "#dcdcd7",
    "#70777f", "#ff948a", "#abe59a", "#f5d38a", "#9cc3f5", "#dfb0ee", "#8fe3dc", "#ffffff",
)  # fmt: skip
_CUBE = (0, 95, 135, 175, 215, 255)
_PLAIN = Style()


class Span(NamedTuple):
    """Columns `[start, end)` of a row: their text, colours as `#rrggbb`, and the style otherwise.

    `paper` is None where it is the terminal's own.
    """

    start: int
    end: int
    text: str
    ink: str
    paper: str | None
    style: Style


def spans(snapshot: Snapshot, row: int) -> Iterator[Span]:
    """The spans of one row, blank ones left out; each holds narrow or wide characters only."""
    at = 0
    for run in (*snapshot.styles[row], None):
        start = snapshot.columns if run is None else run.start
        if at < start:
            yield from _split(snapshot, row, at, start, _PLAIN)
        if run is not None:
            yield from _split(snapshot, row, run.start, run.end, run.style)
            at = run.end


def colour(named: Color) -> str | None:
    """`#rrggbb` of a colour; None is the terminal's own."""
    if not isinstance(named, int):
        return named
    if named < 16:
        return _NAMED[named]
    if named >= 232:
        return f"#{8 + 10 * (named - 232):02x}" + 2 * f"{8 + 10 * (named - 232):02x}"
    cube = named - 16
    return "#" + "".join(f"{_CUBE[cube // step % 6]:02x}" for step in (36, 6, 1))


def _split(snapshot: Snapshot, row: int, start: int, end: int, style: Style) -> Iterator[Span]:
    text = sanitise(snapshot.crop(row, start, end), newlines=False)
    ink, paper = _colours(style)
    drawn = style.underline or style.strike or style.overline
    if style.invisible or not (text.strip() or drawn):
        if paper is not None:
            yield Span(start, end, "", ink, paper, style)
        return
    at = start
    for width, cells in groupby(_clusters(text), key=lambda pair: pair[1]):
        texts = [cluster for cluster, _ in cells]
        until = min(end, at + width * len(texts))
        yield Span(at, until, "".join(texts), ink, paper, style)
        at = until


def _clusters(text: str) -> Iterator[tuple[str, int]]:
    """Each character with the marks that follow it, and the columns it takes."""
    cluster, width = "", 1
    for character in text:
        columns = wcwidth(character)
        if columns > 0:
            if cluster:
                yield cluster, width
            cluster, width = "", columns
        cluster += character
    if cluster:
        yield cluster, width


def _colours(style: Style) -> tuple[str, str | None]:
    named = style.fg
    if style.bold and isinstance(named, int) and named < 8:
        named += 8  # as terminals do: bold is bright
    ink, paper = colour(named), colour(style.bg)
    if style.inverse:
        ink, paper = paper or PAPER, ink or INK
    ink = ink or INK
    return (_between(ink, paper or PAPER) if style.dim else ink), paper


def _between(one: str, other: str) -> str:
    """Dim: a little over half of the way from `other` to `one`."""
    pairs = ((int(one[at : at + 2], 16), int(other[at : at + 2], 16)) for at in (1, 3, 5))
    return "#" + "".join(f"{(a * 3 + b * 2) // 5:02x}" for a, b in pairs)
