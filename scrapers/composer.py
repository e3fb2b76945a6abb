"""The text field that an agent takes prompts in: whether one is there, and what it holds.

What is left of the cursor, or in rows above it, was typed. To its right an agent may show a
placeholder or a suggestion: what is drawn fainter than the rest is taken for that. Decides no state.
Cost: one segmentation, then O(rows of the field).
"""

import re
from dataclasses import dataclass

from dejavu.screen import Snapshot, Style

from .packs import CompiledPack, is_greyed, rgb_of
from .segment import Region, segment

_PROMPT = re.compile(r"^\s*[│┃]?\s{0,2}[❯›»▌>!*$#&](?=\s|$)")
_FRAME = re.compile(r"^\s*[│┃](?=\s|$)|\s*[│┃█▌]\s*$")
# A row of nothing but lines, or a box's upper or lower side with words in it.
_EDGE = re.compile(r"^(?:[\s─━▀▄╭╮╰╯┌┐└┘╹┃│]*|\s*[╭╰┌└][─━][^│┃]*[─━][╮╯┐┘]\s*)$")
_MOST = 40  # rows that a text field may have
_DROPPED = str.maketrans("", "", "\u200b\u200c\u2060\ufeff")


@dataclass(frozen=True, slots=True)
class Composer:
    """A text field: `rows` as shown, without its frame, its prompt and its placeholder.

    `top` is the first of them on the screen; `cursor` is the row and column of the screen's cursor.
    """

    rows: tuple[str, ...]
    top: int
    cursor: tuple[int, int]

    @property
    def text(self) -> str:
        """Its text, its rows by line breaks; empty where nothing was typed."""
        return "\n".join(self.rows).strip()


def read_composer(pack: CompiledPack, snapshot: Snapshot) -> Composer | None:
    """Return the text field of a screen; None where its agent's rules see none."""
    fields = [region for region in segment(pack, snapshot).regions if region.name == "input"]
    if not fields:
        return None
    row, column = snapshot.cursor
    field = next((one for one in fields if one.top <= row < one.bottom), fields[-1])
    bottom = field.bottom
    if _goes_on(field, snapshot):
        bottom = row + 1
    elif not field.top <= row < bottom:
        row, column = bottom - 1, field.left  # only what is not faint counts
    top = _first(field, snapshot, row)
    rows: list[str] = []
    for at in range(top, bottom):
        text = _typed(field, snapshot, at, field.right if at < row else column if at == row else 0)
        if at > row and not text:
            break
        rows.append(_PROMPT.sub("", text, count=1).strip() if at == top else text)
    return Composer(tuple(rows), top, snapshot.cursor)


def _goes_on(field: Region, snapshot: Snapshot) -> bool:
    """Whether the text continues below its region to the cursor, in rows that stand as its first does.

    A cursor that is parked at the bottom of the screen is no part of it; one in a blank row is where
    that row's text would begin, after a line break.
    """
    row, column = snapshot.cursor
    prompt = _PROMPT.match(snapshot.crop(field.bottom - 1, field.left, field.right))
    if prompt is None or not field.bottom <= row < field.bottom + _MOST:
        return False
    left = field.left + prompt.end() + 1
    rows = [snapshot.crop(at, field.left, left) for at in range(field.bottom, row + 1)]
    shown = [snapshot.rows[at].strip() for at in range(field.bottom, row + 1)]
    is_within = column >= left if shown[-1] else column == left
    return is_within and not any(map(str.strip, rows))


def _first(field: Region, snapshot: Snapshot, last: int) -> int:
    """The row in which the text begins: the first that is no edge and not drawn faintly.

    What is above a field's only prompt, in its last row, tells of a mode and was not typed.
    """
    rows = range(field.top, field.bottom)
    prompts = [at for at in rows if _PROMPT.match(snapshot.crop(at, field.left, field.right))]
    if prompts == [field.bottom - 1]:
        return prompts[0]
    return next((at for at in range(field.top, last) if _typed(field, snapshot, at, 0)), last)


def _typed(field: Region, snapshot: Snapshot, at: int, cursor: int) -> str:
    """A row without its frame, and without what is drawn faintly behind the cursor's column."""
    cursor = min(max(cursor, field.left), field.right)
    if _EDGE.match(snapshot.crop(at, field.left, field.right)):
        return ""
    text = snapshot.crop(at, field.left, cursor) + _bright(field, snapshot, at, cursor)
    return _FRAME.sub("", text.translate(_DROPPED).replace("\xa0", " ")).strip()


def _bright(field: Region, snapshot: Snapshot, at: int, column: int) -> str:
    """The cells from a column on, without those that are drawn faintly.

    The cell of the cursor looks as the cursor does: it counts with the one behind it.
    """
    styles = [Style()] * snapshot.columns
    for run in snapshot.row_styles(at):
        styles[run.start : run.end] = [run.style] * (run.end - run.start)
    cells, faint = snapshot.cells(at), [_is_faint(style) for style in styles]
    behind = next(
        (n for n in (column + 1, column + 2) if n < len(cells) and cells[n].strip()), None
    )
    if behind is not None:
        faint[column] = faint[behind]
    shown = range(column, min(field.right, len(cells)))
    return "".join(" " if faint[n] and cells[n] else cells[n] for n in shown)


def _is_faint(style: Style) -> bool:
    """Whether a text is drawn as what is no text of a person's: dim, or in a greyish colour."""
    if is_greyed(style):
        return True
    rgb = rgb_of(style.fg)
    return rgb is not None and max(rgb) <= 200 and (max(rgb) - min(rgb)) * 4 <= max(rgb)


__all__ = ["Composer", "read_composer"]
