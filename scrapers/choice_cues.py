"""Cues on a screen that mean the same for any agent: a person is asked.

`reading.classify` asks for them where a pack's rules say idle or nothing, since a pack knows only
the screens it was written from. Shape counts, not words: a pointer next to choices, letters in
brackets, a row of keys, and that only hints are below. No agent is named. Cost: O(rows of
the bottom of the screen).

Tested in: tests/scrapers/test_covers.py
"""

import re
from collections.abc import Sequence
from functools import lru_cache

from .choices import BORDER, CHOICE, KEYED, LETTERS, POINTERS
from .segment import Layout

# Answers about rows that are remembered: those of a few screens.
_MAX_REMEMBERED = 256
# Rows at the bottom of the screen among which choices stand, and a box of keys.
_CHOICE_ROWS = 24
_BOX_ROWS = 14
# Rows of the last paragraph that are read for keys.
_HINT_ROWS = 6
# Rows above a list among which its question is.
_QUESTION_ROWS = 10

# A choice: a pointer may stand before it, then a radio button or a number, then its label.
_CHOICE = re.compile(
    rf"^[\s│┃|]*(?P<pointer>[{POINTERS}]|[●◉](?= \d{{1,2}}[.)]))? ?"
    r"(?P<content>(?P<mark>[●○◉◯◦] ?|\[?\(?(?P<number>\d{1,2})[\]).] ?|)"
    r"[^\s│┃|╭╰╮╯─].*)$"
)
_SIDES = "│┃|"
_BOX_SIDES = frozenset(_SIDES)
# Letters below a box of keys, or below choices, that may be a mode, a model or a hint, and no text.
_MAX_WORDS = 40
_RADIO = frozenset("●○◉◯◦")
_FILLED = frozenset("●◉")
_SELECTS = re.compile(
    r"(?i)\b(?:enter|return)\b\W{0,3}(?:to )?(?:select|confirm|choose)\b"
    r"|↵ ?(?:to )?(?:select|confirm|submit)\b|↑ ?/?↓\W{0,3}(?:to )?(?:navigate|select|move|choose)\b"
)
# Arrows of a list or of answers in one row, and a key that marks several: a choice is wanted.
_CHOOSES = re.compile(r"[↑↓←→⇆]|(?i:\bspace\b\W{0,3}(?:to )?(?:toggle|select)\b)")
# Arrows and a key that takes or leaves, in one row.
_ARROWS = re.compile(r"(?i)↑ ?/?↓.*\b(?:enter|esc(?:ape)?)\b|\b(?:enter|esc(?:ape)?)\b.*↑ ?/?↓")
_KEY = re.compile(
    r"(?i)\b(?:enter|return|esc(?:ape)?|tab|space|ctrl[+-]\w|shift[+-]tab)\b|[↑↓⇆⇥↵⏎]"
)

# A row of key hints and nothing else, of which one leaves: what a person opened is above it.
_HINT = r"(?i:(?:[\w+]+(?:[-+/][\w]+)*|[↑↓←→]/?[↑↓←→]?) (?:to )?[a-z][a-z ]{2,40})"
_HINT_ROW = re.compile(rf"\W*{_HINT}(?: +[·•|] +{_HINT})+\W*")
_LEAVES = re.compile(r"(?i)\besc(?:ape)? (?:to )?(?:close|exit|go back|dismiss|quit|leave)\b")
# The same where the key that closes is the only one.
_CLOSES = re.compile(
    r"(?i)\W*(?:press )?(?:esc(?:ape)?|q) (?:to )?(?:close|exit|go back|dismiss|quit|leave)\W*"
)
# A row of keys of which one allows and another refuses: an agent asks, and works on when answered.
_ALLOWS = r"(?:enter|return|y|a|1)\b\]?[ :]{1,2}(?:to )?(?:accept|allow|approve|confirm|yes)\b"
_REFUSES = r"(?:esc(?:ape)?|n|d|r)\b\]?[ :]{1,2}(?:to )?(?:deny|reject|refuse|decline|no)\b"
_DECISION = re.compile(rf"(?i)^[\W_]*{_ALLOWS}.{{0,60}}?\W{_REFUSES}[\W_]*$")

# What a question ends with: Latin, full width, Arabic, Greek.
QUESTION_MARKS = ("?", "\uff1f", "\u061f", "\u037e")
# The prompt of a shell: what is above it has been printed, and asks nothing.
_SHELL = re.compile(r"^(?:.{0,60}[\w~\])/: ])?[$#%] ?$")


def at_shell(layout: Layout) -> bool:
    """Whether the last row of the screen is a shell's prompt."""
    last = next((row for row in reversed(layout.rows) if row), "")
    return _SHELL.match(last) is not None


def has_input(layout: Layout) -> bool:
    """Whether a rule knows an input box on the screen."""
    return any(region.name == "input" for region in layout.regions)


def offers_choices(rows: Sequence[str]) -> bool:
    """Whether rows of a dialog show a pointer, buttons, a list, letters, or keys that choose."""
    marks = [choice for row in rows if (choice := _choice(row)) and (choice["mark"])]
    pointers = any(
        choice["pointer"] is not None and choice["content"].strip(_SIDES + " █▌▏_")
        for row in rows
        if (choice := _choice(row))
    )
    return pointers or len(marks) > 1 or any(map(chooses_by_keys, rows))


def chooses_by_keys(row: str) -> bool:
    """Whether a row names keys that choose, or offers choices by letters."""
    searches = (_SELECTS.search, _CHOOSES.search, KEYED.match, LETTERS.search)
    return any(search(row) for search in searches)


def open_decision(layout: Layout) -> str | None:
    """Return the row of keys that allow and refuse, if it is the last thing in a box at the bottom.

    A box has a line at either side of the row: a quotation has not, or its own box is followed by
    words of the answer. Where no input is, the last row of the screen needs no box.
    """
    last = next((row for row in reversed(layout.rows) if row), "")
    if not has_input(layout) and _DECISION.match(last.strip(_SIDES + " ")):
        return last.strip(_SIDES + " ")[:100]
    rows = layout.lines[-_BOX_ROWS:]
    for index in range(len(rows) - 1, -1, -1):
        row = rows[index]
        if row[-1:] not in _BOX_SIDES:
            continue
        row = row.lstrip()
        if row[:1] in _BOX_SIDES and _DECISION.match(row.strip(_SIDES)):
            return (
                row.strip(_SIDES + " ")[:100] if _letters(rows[index + 1 :]) < _MAX_WORDS else None
            )
    return None


def open_menu(layout: Layout) -> str | None:
    """Return the last paragraph's keys if they select, or leave, and no input is on the screen.

    A list or a page that a person opened looks so, and a question whose answers stand in one row.
    A narrow window wraps such a row, so that the paragraph is read as one.
    """
    if has_input(layout) or at_shell(layout):
        return None
    rows = _last_paragraph(layout.rows)
    last, whole = rows[-1:], " ".join(rows)
    for row in (*last, whole):
        leaves = _LEAVES.search(row) is not None and _HINT_ROW.fullmatch(row) is not None
        selects = _SELECTS.search(row) is not None and len(_KEY.findall(row)) >= 2
        if leaves or selects:
            return row[:100]
    return None


def open_page(layout: Layout) -> str | None:
    """Return the last paragraph's keys if one of them closes what is on the screen, and no input is."""
    if has_input(layout) or at_shell(layout):
        return None
    whole = " ".join(_last_paragraph(layout.rows))
    closes = _LEAVES.search(whole) is not None and _HINT_ROW.fullmatch(whole) is not None
    return whole[:100] if closes or _CLOSES.fullmatch(whole) else None


def _last_paragraph(rows: Sequence[str]) -> list[str]:
    """Return the last rows with words, from the bottom up to a blank one, without borders."""
    found: list[str] = []
    for row in reversed(rows):
        bare = row.strip(BORDER)
        if bare:
            found.insert(0, bare)
        elif found:
            break
        if len(found) == _HINT_ROWS:
            break
    return found


def open_letters(layout: Layout) -> str | None:
    """Return the row that ends in answers to be typed, if nothing but a bare prompt is below it.

    Where a pack knows an input that is more than one row, what is above it is no prompt's end.
    """
    inputs = [region for region in layout.regions if region.name == "input"]
    rows = [row for row in layout.lines if row]
    if inputs:
        below = layout.rows[inputs[0].top :]
        bare = sum(bool(row) for row in below) == 1 and _letters(below) <= 1
        match = LETTERS.search(rows[-1]) if bare and rows else None
        return rows[-1].strip()[:100] if match is not None and match["end"] else None
    for index in range(len(rows) - 1, max(-1, len(rows) - 7), -1):
        if KEYED.match(rows[index]):
            return rows[index].strip()[:100] if is_last(rows[index + 1 :]) else None
    return rows[-1].strip()[:100] if rows and LETTERS.search(rows[-1]) else None


def open_choices(layout: Layout) -> str | None:
    """Return the row of a pointer next to other choices at the bottom of the screen, if there is one.

    A choice next to it starts in the same column and has the same mark. Where an input is, only it
    and what is below it count (choices above it are quoted or answered), and since people type
    lists too there must be radio buttons, or keys to select or confirm below. Else the list is the
    last thing on the screen except hints, and it has buttons, numbers, such keys, or a question.
    """
    rows = _bottom_rows(layout)
    is_typed = has_input(layout)
    pointed = [
        (index, choice)
        for index, row in enumerate(rows)
        if (not row.isascii() or ">" in row) and (choice := _choice(row)) and _is_pointed_at(choice)
    ]
    if not pointed or at_shell(layout):
        return None
    for index, choice in pointed:
        first, last = _list_around(rows, index)
        if first == last:
            continue
        below = rows[last + 1 :]
        is_shown = choice["pointer"] is not None
        if choice["mark"][:1] in _RADIO and (is_shown or (not is_typed and is_last(below))):
            return _shown(rows[index])
        if not is_shown:
            continue
        is_asked = not is_typed and _is_asked(rows, index, first)
        keyed = max((at for at, row in enumerate(below) if _has_keys(row)), default=None)
        if (keyed is not None and is_last(below[keyed + 1 :])) or (is_asked and is_last(below)):
            return _shown(rows[index])
    return None


@lru_cache(_MAX_REMEMBERED)
def _choice(row: str) -> re.Match[str] | None:
    return _CHOICE.match(row)


@lru_cache(_MAX_REMEMBERED)
def _has_keys(row: str) -> bool:
    """Whether a row names keys that select, or arrows next to a key that takes or leaves."""
    if "↑" in row and _ARROWS.search(row):
        return True
    words = row.lower()
    if "enter" in words or "return" in words or "↑" in row or "↵" in row:
        return _SELECTS.search(row) is not None
    return False


def _is_asked(rows: Sequence[str], index: int, first: int) -> bool:
    """Whether a list has numbers, is at the foot of a box, or below a question."""
    choice = _choice(rows[index])
    if choice is not None and choice["number"]:
        return True
    foot = next(
        (row.lstrip()[:1] for row in rows[index + 1 :] if row.lstrip()[:1] not in _BOX_SIDES), ""
    )
    if rows[index].lstrip()[:1] in _BOX_SIDES and foot and foot in "╰└":
        return True
    above = rows[max(0, first - _QUESTION_ROWS) : first]
    return any(row.rstrip(_SIDES + " ").endswith(QUESTION_MARKS) for row in above)


def _list_around(rows: Sequence[str], index: int) -> tuple[int, int]:
    """Return the first and the last row of the list that the choice at `index` is one of.

    Between two of them may stand one blank row, and rows that are set in deeper.
    """
    chosen = _choice(rows[index])
    ends = [index, index]
    if chosen is None:
        return index, index
    column = chosen.start("content")
    for side, step in enumerate((-1, 1)):
        at, blanks = index + step, 0
        while 0 <= at < len(rows) and blanks < 2:
            other = _choice(rows[at])
            bare = rows[at].strip(_SIDES + " ")
            if other is not None and _alike(chosen, other):
                ends[side], blanks = at, 0
            elif not bare:
                blanks += 1
            elif other is None or other.start("content") <= column or other["pointer"]:
                break
            at += step
    return ends[0], ends[1]


def _is_pointed_at(choice: re.Match[str]) -> bool:
    """Whether a pointer is at a choice; a filled button is one, too."""
    return choice["pointer"] is not None or choice["mark"][:1] in _FILLED


def _alike(choice: re.Match[str], other: re.Match[str]) -> bool:
    """Whether two rows are choices of one list, of which only the first is pointed at."""
    if other["pointer"] is not None or other["mark"][:1] in _FILLED:
        return False
    kinds = [
        "radio" if mark[:1] in _RADIO else "number" if mark else ""
        for mark in (choice["mark"], other["mark"])
    ]
    return kinds[0] == kinds[1] and choice.start("content") == other.start("content")


def is_last(below: Sequence[str]) -> bool:
    """Whether rows below a list hold nothing but hints, borders and a word or two."""
    letters = 0
    for row in below:
        if (count := _letters([row])) and not _KEY.search(row):
            letters += count
            if letters >= _MAX_WORDS:
                return False
    return True


def _letters(rows: Sequence[str]) -> int:
    return sum(map(str.isalpha, "".join(rows)))


def _shown(row: str) -> str:
    return row.strip(" │┃|")[:100]


def _bottom_rows(layout: Layout) -> Sequence[str]:
    """Return the rows among which open choices may stand: the input and below, or the last ones."""
    inputs = [region.top for region in layout.regions if region.name == "input"]
    if inputs:
        return layout.rows[min(inputs) :]
    end = len(layout.rows)
    while end and not layout.rows[end - 1]:
        end -= 1
    return layout.rows[max(0, end - _CHOICE_ROWS) : end]


def seems_to_ask(rows: Sequence[str]) -> bool:
    """Whether a pointer is at a number or a button anywhere, or the last rows end in letters to type.

    For a screen that no rule knows: something may be asked there that is not read.
    """
    texts = [row.strip(BORDER) for row in rows if row.strip(BORDER)]
    found = (match for row in texts if (match := CHOICE.match(row)) is not None)
    pointed = any(match["pointer"] and (match["number"] or match["radio"]) for match in found)
    return pointed or any(LETTERS.search(row) or KEYED.match(row) for row in texts[-2:])
