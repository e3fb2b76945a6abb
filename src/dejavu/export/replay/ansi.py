"""A snapshot as text for a terminal of ours: its cells, with SGR made from their styles.

None of the agent's own sequences is passed on, and its links are left out: only text (sanitised),
colours and attributes as parsed. O(cells).
"""

from dejavu.redact.sanitise import sanitise
from dejavu.screen import Color, Snapshot, Style


def text_rows(snapshot: Snapshot) -> list[str]:
    """The text of each row, without trailing blanks and blank rows at the end."""
    rows = [_safe(row).rstrip() for row in snapshot.rows]
    while rows and not rows[-1]:
        rows.pop()
    return rows


def styled(snapshot: Snapshot, columns: int) -> list[str]:
    """Each row up to `columns` cells, every styled stretch between its SGR and a reset."""
    width = min(columns, snapshot.columns)
    painted: list[str] = []
    for row, runs in enumerate(snapshot.styles):
        pieces: list[str] = []
        at = 0
        for run in runs:
            start, end = min(run.start, width), min(run.end, width)
            pieces.append(_safe(snapshot.crop(row, at, start)))
            if start < end:
                text = _safe(snapshot.crop(row, start, end))
                pieces.append(f"\x1b[{sgr(run.style)}m{text}\x1b[0m")
            at = end
        pieces.append(_safe(snapshot.crop(row, at, width)).rstrip())
        painted.append("".join(pieces))
    return painted


def _safe(text: str) -> str:
    return sanitise(text, newlines=False)


def sgr(style: Style) -> str:
    """The SGR parameters of a style, after a reset (ECMA-48 8.3.117, ITU T.416 colours)."""
    flags = {
        1: style.bold,
        2: style.dim,
        3: style.italic,
        5: style.blink,
        7: style.inverse,
        8: style.invisible,
        9: style.strike,
        53: style.overline,
    }
    codes = ["0", *(str(code) for code, on in flags.items() if on)]
    if style.underline:
        codes.append("4" if style.underline == 1 else f"4:{style.underline}")
    codes += _colour(38, style.fg) + _colour(48, style.bg)
    # With colons: a terminal that does not know 58 would take what follows semicolons for codes.
    if style.underline_color is not None:
        codes.append("58:" + ":".join(_values(style.underline_color, space=True)))
    return ";".join(codes)


def _colour(code: int, colour: Color) -> list[str]:
    """Foreground or background in the spelling with semicolons, which every terminal reads."""
    return [] if colour is None else [str(code), *_values(colour)]


def _values(colour: int | str, *, space: bool = False) -> list[str]:
    if isinstance(colour, int):
        return ["5", str(colour)]
    rgb = [str(int(colour[at : at + 2], 16)) for at in (1, 3, 5)]
    return ["2", *([""] if space else []), *rgb]
