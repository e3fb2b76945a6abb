"""The choices that a dialog offers: the one reader of them, for status, answers and every interface.

Read are lists with a pointer, numbers or buttons, labels with their keys, labels in one row, and
lists whose pointer is a colour alone. A list counts only where the choice that Enter takes, or the
key of each choice, is known too: what is read in part offers nothing, unless the list itself says that
it continues. No agent is named, and no state is decided here. Cost: O(rows of the dialog).
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from dejavu.screen import Style

from .highlights import highlighted
from .rows import width

POINTERS = "❯›▸▶►‣→➜»>"
"""Glyphs that stand before the choice that Enter takes."""

BORDER = "│┃|║╭╮╰╯┌┐└┘─━═▔▁▀▄╌┈╹╻ "
"""What boxes are drawn with."""

# Answers that are typed, at the end of a row: `(y/n):`, `[y/n/t]:`, `(Y)es/(N)o [Yes]:`, and what a
# narrow window cut off it. No answer of an agent's ends so, but it may quote one.
_LETTER = r"[\[(][A-Za-z][\])][A-Za-z' ]{0,24}"
LETTERS = re.compile(
    r"(?:[\[(][A-Za-z](?:es)?(?:/[A-Za-z?][a-z]{0,6}){1,6}[\])]"
    rf"|{_LETTER}(?:\s?[/,|]\s?{_LETTER})+)\s*(?:[\[(]\w{{0,8}}[\])]?)?\s*(?P<end>[:?>❯]?)\s*$"
)
# A row of answers and the keys for them, and nothing else: `[y] Approve   [n] Deny`, `Allow (a)  No (n)`.
_KEY_FIRST = r"\[\w{1,5}\] \w[\w' ]{0,30}?"
_KEY_LAST = r"\w[\w' ]{0,30}? \(\w\)"
KEYED = re.compile(
    rf"^\W*(?:{_KEY_FIRST}(?:\s{{2,}}{_KEY_FIRST})+|{_KEY_LAST}(?:\s{{2,}}{_KEY_LAST})+)\W*$"
)
_KEY_AND_LABEL = re.compile(r"\[(\w{1,5})\] (\w[\w' ]*?)(?=\s{2,}|\W*$)")
_LABEL_AND_KEY = re.compile(r"(\w[\w' ]*?) \((\w)\)(?=\s{2,}|\W*$)")
_TYPED = re.compile(r"[(\[]?([A-Za-z])[)\]]?([a-z' ]*)(?=[/\])\s:,|]|$)")
# A bare prompt, behind a mode in brackets at times.
_PROMPT = re.compile(rf"^(?:\[\w{{1,3}}\] ?)?[{POINTERS}:$]?\s*$")

CHOICE = re.compile(
    rf"^(?P<indent>\s*)(?P<pointer>[{POINTERS}](?=[\s\d●○◉◯◦\[(]))?\s*(?P<more>[↑↓▲▼]\s+(?=\d+[.)]))?"
    r"(?:(?P<radio>[●○◉◯◦])\s*)?(?:[\[(]?(?P<number>\d{1,2})[\]).:]\s+)?(?P<label>\S.*)$"
)
_FILLED = frozenset("●◉")
# A row, or the glyph before a number, that says that a list continues above or below what is seen.
_MORE = re.compile(r"^\W*?[▲▼△▽↑↓](?: *\(?\d* ?more\b.*)?$")
KEYS = re.compile(
    r"(?i)\b(?:enter|return|esc(?:ape)?|tab|space|ctrl[+-]\w|shift[+-]tab)\b\W{0,3}"
    r"(?:to |again |confirm|select|cancel|exit|close|submit|navigate|dismiss|reject)"
    r"|↑ ?/?↓|↵ |\bto navigate\b"
)
# Keys that go from one choice to the next: in one row, and in a list.
_SIDEWAYS = re.compile(
    r"(?i)⇆|← ?/? ?→|\b(?:tab|left/right)\b\W{0,3}(?:to )?(?:select|choose|switch|toggle)"
)
_UPRIGHT = re.compile(
    r"(?i)↑ ?/? ?↓|\b(?:enter|return)\b\W{0,3}(?:to )?(?:select|choose|submit|confirm)"
)
# What a cell of a row of hints begins with.
_HINT_CELL = re.compile(
    r"(?i)^(?:[↑↓←→⇆⇥↵⏎]|(?:enter|return|esc(?:ape)?|tab|space|ctrl[+-]\w|shift[+-]\w+|\w)\b[ :]\s?[a-z])"
)
_CELL = re.compile(
    rf"^(?P<pointer>[{POINTERS}] )?(?P<label>[^\W\d_][\w'’/,()+ -]{{0,40}}[\w)])(?: <)?$"
)
_MAX_CHOICES = 20
# Rows of a label that is wrapped, about.
_WRAPPED_ROWS = 3
# Cells that an agent leaves empty at the end of a row it wraps.
_SLACK = 4

Look = Callable[[int, str], tuple[Style, Style] | None]
"""The style of a text on a row, and that of the row around it; None where it is not to be seen."""


@dataclass(frozen=True)
class Choices:
    """Labels in their order, and how each is taken.

    `keys` has a letter for each label, or nothing where a pointer goes to it; `first` is the index
    of the row where they begin; `default` the label that Enter takes. `across`: they stand side by
    side, and the pointer goes left and right. `more`: the list scrolls, and `number` is the first
    label's own.
    """

    labels: tuple[str, ...]
    first: int
    keys: tuple[str, ...] = ()
    default: str | None = None
    across: bool = False
    more: bool = False
    number: int = 1


def read_choices(
    rows: Sequence[str], *, look: Look | None = None, columns: int = 0, wrapped: Sequence[bool] = ()
) -> Choices | None:
    """Return the choices on a dialog's rows, which have no borders; None where none were read whole.

    `look` tells the styles of a screen that has some. `columns` is the width that rows are wrapped
    at, `wrapped` which of them the terminal wrapped.
    """
    joined = _Rows(rows, columns, wrapped)
    return _lettered(rows) or _pointed(joined) or _beside(rows, look) or _coloured(joined, look)


class _Rows:
    """A dialog's rows, each matched as a choice, and where rows go on."""

    def __init__(self, rows: Sequence[str], columns: int, wrapped: Sequence[bool]) -> None:
        self.rows, self.columns, self.wrapped = rows, columns, wrapped
        found = [CHOICE.match(row) for row in rows]
        self.matches = [
            None if self.goes_on(at) or (match and is_hint(row) and not _has_neighbour(match, found))
            else match
            for at, (row, match) in enumerate(zip(rows, found, strict=True))
        ]  # fmt: skip

    def goes_on(self, at: int) -> bool:
        """Whether the terminal wrapped the row above into this one."""
        return 0 < at <= len(self.wrapped) and self.wrapped[at - 1]

    def is_set_in(self, at: int, column: int) -> bool:
        """Whether a row is the rest of a label that begins in `column`, or describes it."""
        row = self.rows[at]
        return self.goes_on(at) or len(row) - len(row.lstrip()) >= column

    def label(self, at: int) -> str:
        """The label of the choice on a row, with the rest of it on the rows below."""
        match = self.matches[at]
        if match is None:
            return ""
        label, row = _label(match["label"]), self.rows[at]
        column = match.start("number" if match["number"] else "label")
        while at + 1 < len(self.rows) and self._is_rest(at + 1, column):
            words = self.rows[at + 1].split()
            if not words or not (self.goes_on(at + 1) or self._is_full(row, words[0])):
                break
            at, row = at + 1, self.rows[at + 1]
            label = f"{label}{'' if self.goes_on(at) and row[:1] != ' ' else ' '}{_label(row)}"
        return label

    def _is_rest(self, at: int, column: int) -> bool:
        """Whether a row below a choice may belong to it."""
        other, row = self.matches[at], self.rows[at]
        # A number further in than the list's own is text.
        is_other = other is not None and (
            other["radio"]
            or other["pointer"]
            or (other["number"] and other.start("number") <= column)
        )
        return bool(row) and not is_other and not is_hint(row) and self.is_set_in(at, column)

    def _is_full(self, row: str, word: str) -> bool:
        return 0 < self.columns - _SLACK < width(row) + 1 + width(word)


def is_hint(row: str) -> bool:
    """Whether a row names keys and what they do."""
    return KEYS.search(row) is not None


def _lettered(rows: Sequence[str]) -> Choices | None:
    """Return the choices that the last row offers by letters."""
    last = next((n for n in reversed(range(len(rows))) if not _is_below(rows[n])), None)
    if last is None:
        return None
    row = rows[last].strip(BORDER)
    if KEYED.match(row):
        found = [(key, label) for key, label in _KEY_AND_LABEL.findall(row)]
        found = found or [(key, label) for label, key in _LABEL_AND_KEY.findall(row)]
        if not all(len(key) == 1 for key, _ in found):
            return None
        return Choices(tuple(label for _, label in found), last, tuple(key for key, _ in found))
    letters = LETTERS.search(row)
    if letters is None:
        return None
    typed = _TYPED.findall(letters[0].strip("[] :>?❯"))
    labels = tuple(dict.fromkeys((first + rest).strip() for first, rest in typed))
    default = next((one for one in labels if one.isupper()), None)
    return Choices(labels, len(rows), tuple(label[0] for label in labels), default)


def _is_below(row: str) -> bool:
    """Whether a row may come below answers by letters: blank, keys, a bare prompt."""
    bare = row.strip(BORDER)
    if KEYED.match(bare) or LETTERS.search(row):
        return False
    return is_hint(row) or len(bare) < 2 or _PROMPT.match(bare) is not None


def _pointed(rows: _Rows) -> Choices | None:
    """Return the lowest list with a pointer, or with one button of all filled."""
    for pointer in reversed(range(len(rows.rows))):
        chosen = rows.matches[pointer]
        if chosen is None or not _is_pointed_at(chosen):
            continue
        listed = _list_around(rows, pointer, chosen)
        if chosen["pointer"] is None and not _is_only_filled(rows, pointer, listed):
            continue
        labels, default = tuple(map(rows.label, listed)), rows.label(pointer)
        first = rows.matches[listed[0]]
        number = None if first is None else first["number"]
        if number is not None and (begins := _begins_scrolled(rows, listed)) is not None:
            return Choices(labels, begins, default=default, more=True, number=int(number))
        # Any other list that does not begin with its first entry has some that are not seen.
        if len(listed) > 1 and first is not None and number in (None, "1"):
            return Choices(labels, listed[0], default=default)
    return None


def _begins_scrolled(rows: _Rows, listed: Sequence[int]) -> int | None:
    """Return the row where a list begins that says that it continues; None where it does not say so."""
    ends = [match for at in (listed[0], listed[-1]) if (match := rows.matches[at]) is not None]
    column = _number_start(ends[-1])
    above = next((n for n in reversed(range(listed[0])) if rows.rows[n]), None)
    below = next(
        (n for n in range(listed[-1] + 1, len(rows.rows))
         if rows.rows[n] and not rows.is_set_in(n, column)), None,
    )  # fmt: skip
    goes_up, goes_down = (n is not None and _MORE.match(rows.rows[n]) for n in (above, below))
    if not (goes_up or goes_down or any(end["more"] for end in ends)):
        return None
    return above if goes_up else listed[0]


_Match = re.Match[str]


def _has_neighbour(choice: _Match, others: Sequence[_Match | None]) -> bool:
    """Whether a row is in line with one of the number before or after its own."""
    if choice["number"] is None:
        return False
    number, column = int(choice["number"]), choice.start("number")
    return any(
        other is not None
        and other["number"] is not None
        and abs(int(other["number"]) - number) == 1
        and other.start("number") == column
        for other in others
    )


def _list_around(rows: _Rows, pointer: int, chosen: _Match) -> list[int]:
    """Return the rows of the entries of the list that a pointer is at, in their order."""
    column, shape = chosen.start("label"), _shape(chosen)
    # Between two numbers in line rows may be set out as far as the numbers themselves.
    apart = 1 / _WRAPPED_ROWS if shape == "number" else 2
    listed = [pointer]
    for step in (-1, 1):
        index, gap, last = pointer + step, 0.0, chosen
        while 0 <= index < len(rows.rows) and gap < 2:
            match = rows.matches[index]
            if match is not None and _follows(match, last, step, shape, column):
                listed.append(index)
                gap, last = 0.0, match
            else:
                # A description, or the rest of a label, is further in; blanks may be between.
                gap += 1 if not rows.rows[index] else 0 if rows.is_set_in(index, column) else apart
            index += step
    return sorted(listed)


def _follows(match: _Match, last: _Match, step: int, shape: str, column: int) -> bool:
    """Whether an entry is the next one of a list that goes from `last` up or down."""
    if match["pointer"] is not None or _shape(match) != shape:
        return False
    if shape == "number":
        in_line = any(at(match) == at(last) for at in (_number_start, _number_end))
        return in_line and int(match["number"]) == int(last["number"]) + step
    return bool(shape) or match.start("label") == column


def _number_start(match: _Match) -> int:
    return match.start("number")


def _number_end(match: _Match) -> int:
    return match.end("number")


def _is_pointed_at(choice: _Match) -> bool:
    """Whether the pointer is at a choice; a filled button is one, too."""
    return choice["pointer"] is not None or choice["radio"] in _FILLED


def _is_only_filled(rows: _Rows, pointer: int, listed: Sequence[int]) -> bool:
    """Whether a filled button is the only one: before a number, or among empty ones."""
    chosen = rows.matches[pointer]
    if chosen is not None and chosen["number"] is not None:
        return True
    others = [rows.matches[at] for at in listed if at != pointer]
    return all(other is not None and other["radio"] not in _FILLED for other in others)


def _shape(choice: _Match) -> str:
    """Return how a list's entries are marked, which is the same for all of them."""
    return "number" if choice["number"] else "radio" if choice["radio"] else ""


def _label(text: str) -> str:
    """Return a label without what is in a separate column behind it."""
    return re.split(r"\s{2,}|\t", text.strip())[0].strip()


def _beside(rows: Sequence[str], look: Look | None) -> Choices | None:
    """Return the lowest choices that stand in one row, where a key goes left and right."""
    for at in reversed(range(len(rows))):
        cells = [cell for cell in re.split(r"\s{2,}", rows[at].strip(BORDER)) if cell]
        found = [
            match for cell in cells if not _HINT_CELL.match(cell) and (match := _CELL.match(cell))
        ]
        if not 1 < len(found) < _MAX_CHOICES:
            continue
        if not any(map(_SIDEWAYS.search, rows[at:])) or _is_text(rows[at + 1 :]):
            continue
        if len(found) + sum(map(bool, map(_HINT_CELL.match, cells))) != len(cells):
            continue
        labels = tuple(match["label"] for match in found)
        marked = [n for n, match in enumerate(found) if match["pointer"]]
        pointed = marked[0] if len(marked) == 1 else _highlighted(labels, [at] * len(labels), look)
        return None if pointed is None else Choices(labels, at, (), labels[pointed], across=True)
    return None


def _coloured(rows: _Rows, look: Look | None) -> Choices | None:
    """Return a list above keys that go up and down, of which a colour alone marks one entry."""
    if look is None or not any(map(_UPRIGHT.search, rows.rows)):
        return None
    numbered = (n for n in reversed(range(len(rows.rows))) if _has_number(rows, n))
    listed = _numbered(rows, next(numbered, None))
    plain = not listed
    listed = listed or _paragraph(rows)
    if not 1 < len(listed) < _MAX_CHOICES:
        return None
    labels = tuple(map(rows.label, listed))
    texts = [_first_words(rows, at) for at in listed]
    pointed = _highlighted(texts, listed, look, ground_only=plain)
    return None if pointed is None else Choices(labels, listed[0], (), labels[pointed])


def _has_number(rows: _Rows, at: int) -> bool:
    match = rows.matches[at]
    return match is not None and match["number"] is not None


def _numbered(rows: _Rows, last: int | None) -> list[int]:
    """Return the rows of the numbered list from its first entry to `last`; [] if it is not whole."""
    chosen = rows.matches[last] if last is not None else None
    if last is None or chosen is None:
        return []
    listed = _list_around(rows, last, chosen)
    first = rows.matches[listed[0]]
    return listed if first is not None and first["number"] == "1" else []


def _paragraph(rows: _Rows) -> list[int]:
    """Return the last paragraph above the keys, if its rows are labels in one column."""
    end = next((n for n, row in enumerate(rows.rows) if _UPRIGHT.search(row)), 0)
    while end and not rows.rows[end - 1]:
        end -= 1
    start = end
    while start and rows.rows[start - 1]:
        start -= 1
    listed = list(range(start, end))
    columns = {len(rows.rows[at]) - len(rows.rows[at].lstrip()) for at in listed}
    return listed if len(columns) == 1 and all(rows.matches[at] for at in listed) else []


def _first_words(rows: _Rows, at: int) -> str:
    match = rows.matches[at]
    return "" if match is None else _label(match["label"])


def _highlighted(
    texts: Sequence[str], at: Sequence[int], look: Look | None, *, ground_only: bool = False
) -> int | None:
    """Return which of the texts is drawn as the chosen one."""
    if look is None:
        return None
    looks = [look(row, text) for row, text in zip(at, texts, strict=True)]
    styles = [one for one in looks if one is not None]
    return highlighted(styles, ground_only=ground_only) if len(styles) == len(texts) else None


def _is_text(below: Sequence[str]) -> bool:
    """Whether a row below choices is more than keys and borders."""
    return any(
        row.strip(BORDER)
        and not (is_hint(row) or _SIDEWAYS.search(row) or _HINT_CELL.match(row.strip(BORDER)))
        for row in below
    )
