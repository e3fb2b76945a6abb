"""Cues on a screen that mean the same for any agent: work in progress, and choices that wait.

`reading.classify` asks for them where a pack's rules say idle or nothing, since a pack knows only
the screens it was written from: a wrapped tip below a spinner, a new glyph before a choice, and its
rules say idle with confidence. Idle is the one wrong answer that does harm (something is typed into
a dialog), so it must hold against these cues. No agent is named here. Cost: O(rows of the bottom of
the screen); the transcript is parsed only if one of its last rows has the shape of work.
"""

import re
from collections.abc import Sequence

from dejavu.screen import Snapshot

from .blocks import BlockParser
from .packs import CompiledPack
from .rows import Row
from .segment import Layout

# Rows above the input in which a sign of work counts: a spinner, its tip, a list of tasks.
_WORK_ROWS = 14
# Rows at the bottom of the screen among which choices stand.
_CHOICE_ROWS = 20
# Blocks of these kinds are what somebody said: signs of work in them are quoted, above them old.
_SAID = frozenset({"user", "text", "reasoning", "tool_call", "response", "error", "end"})

_SPINNER = r"[·✢*✶✻✽✳✺∗⊶⊷◌◍◎◐◑◒◓⬡⬢≈∼≋\u2800-\u28ff🌑-🌘]"
_INTERRUPT = (
    r"(?i:\b(?:esc(?:ape)?|ctrl[+-]c)\b\W{0,3}(?:again )?(?:to )?(?:interrupt|cancel|stop)\b)"
)
_CLOCK = r"\(\s?(?:\d{1,3}[hm] ?)*\d{1,4}(?:\.\d)?s\b"
# One of these is in every such row: most screens have none, and are done with.
_HINTS = ("…", "...", "interrupt", "cancel", "stop")
# A spinner glyph, a few words, an ellipsis; or a key that interrupts: a status row, live or left.
_WORK = re.compile(rf"^\s{{0,5}}{_SPINNER} \S+(?: \S+){{0,3}}?(?:…|\.\.\.)|{_INTERRUPT}")
# Words, an ellipsis, then a running clock or a key that interrupts: nothing but work looks so.
_LIVE = re.compile(
    rf"^\s{{0,5}}\S{{1,2}} \S.{{0,160}}?(?:…|\.\.\.).{{0,40}}?(?:{_CLOCK}|{_INTERRUPT})"
)

_POINTERS = "❯›▸▶►‣→>➜»"
# A choice: a pointer may stand before it, then a radio button or a number, then its label.
_CHOICE = re.compile(
    rf"^[\s│┃|]*(?P<pointer>[{_POINTERS}])? ?"
    r"(?P<content>(?P<mark>[●○◉◯◦] ?|\[?\(?\d{1,2}[\]).] ?|)[^\s│┃|╭╰╮╯─].*)$"
)
_RADIO = frozenset("●○◉◯◦")
_KEYS = re.compile(
    r"(?i)\b(?:enter|return)\b\W{0,3}(?:to )?(?:select|confirm|choose)\b"
    r"|↵ ?(?:to )?(?:select|confirm)\b|↑ ?/?↓\W{0,3}(?:to )?(?:navigate|select|move|choose)\b"
)

# A row of key hints and nothing else, of which one leaves: what a person opened stands above it.
_HINT = r"(?i:(?:[\w+]+(?:[-+/][\w]+)*|[↑↓←→]/?[↑↓←→]?) (?:to )?[a-z][a-z ]{2,40})"
_HINT_ROW = re.compile(rf"\W*{_HINT}(?: +[·•|] +{_HINT})+\W*")
_LEAVES = re.compile(r"(?i)\besc(?:ape)? (?:to )?(?:close|exit|go back|dismiss|quit|leave)\b")


def open_menu(layout: Layout) -> str | None:
    """Return the last row of the screen if it is key hints with a way out, where no input is.

    A list or a page that a person opened looks so.
    """
    row = next((row for row in reversed(layout.rows) if row), "")
    if _LEAVES.search(row) is None or _HINT_ROW.fullmatch(row) is None:
        return None
    has_input = any(region.name == "input" for region in layout.regions)
    return None if has_input else row.strip()[:100]


def work_above_input(
    pack: CompiledPack, snapshot: Snapshot, layout: Layout
) -> tuple[str, bool] | None:
    """Return the last row above the input that looks like work, and whether it must be live.

    A row that may have been left behind counts in the last paragraph only. A row that is part of
    what somebody said is a quotation, and one above such a row is old: neither counts. Where a pack
    takes unknown rows for text nobody can tell: the row counts, as not certainly live, if it has
    the shape of live work and starts the last paragraph.
    """
    lines = layout.lines
    bottom = "\n".join(lines[-_WORK_ROWS:]).lower()
    if not any(hint in bottom for hint in _HINTS):
        return None
    paragraph = len(lines)
    while paragraph and lines[paragraph - 1]:
        paragraph -= 1
    candidates = [
        index
        for index in range(max(0, len(lines) - _WORK_ROWS), len(lines))
        if _LIVE.search(lines[index]) or (index >= paragraph and _WORK.search(lines[index]))
    ]
    if not candidates:
        return None
    start = layout.transcript.top
    rows = [
        Row(text, snapshot.wrapped[start + n], snapshot.columns, tuple(snapshot.styles[start + n]))
        for n, text in enumerate(lines)
    ]
    parser = BlockParser(pack, [])
    parser.feed(rows, 0)
    said = unclaimed = -1
    for block in parser.blocks:
        end = block.start + len(block.contents) - 1
        if block.kind in _SAID and block.rule is not None:
            said = end
        elif block.kind in _SAID:
            unclaimed = end
    index = candidates[-1]
    live = _LIVE.search(lines[index]) is not None
    if index <= said or (index <= unclaimed and not (live and index == paragraph)):
        return None
    return lines[index].strip()[:100], live and index > unclaimed


def open_choices(layout: Layout) -> str | None:
    """Return the row of a pointer beside other choices at the bottom of the screen, if there is one.

    A choice next to it starts in the same column and has the same mark: a radio button, or else (as
    people type lists, too) keys to select or confirm stand below. Only the input and what is below
    it count where there is one: choices above it are quoted or answered.
    """
    rows = _bottom_rows(layout)
    text = "".join(rows)
    if not any(pointer in text for pointer in _POINTERS):
        return None
    choices = [_CHOICE.match(row) for row in rows]
    for index, choice in enumerate(choices):
        if choice is None or choice.group("pointer") is None:
            continue
        beside = [*choices[max(0, index - 1) : index], *choices[index + 1 : index + 2]]
        if not any(other is not None and _alike(choice, other) for other in beside):
            continue
        if choice.group("mark")[:1] in _RADIO or any(map(_KEYS.search, rows[index + 1 :])):
            return rows[index].strip(" │┃|")[:100]
    return None


def _alike(choice: re.Match[str], other: re.Match[str]) -> bool:
    """Whether two rows are choices of one list, of which only the first has the pointer."""
    if other.group("pointer") is not None:
        return False
    kinds = [
        "radio" if mark[:1] in _RADIO else "number" if mark else ""
        for mark in (choice.group("mark"), other.group("mark"))
    ]
    return kinds[0] == kinds[1] and choice.start("content") == other.start("content")


def _bottom_rows(layout: Layout) -> Sequence[str]:
    """Return the rows among which open choices may stand: the input and below, or the last ones."""
    inputs = [region.top for region in layout.regions if region.name == "input"]
    if inputs:
        return layout.rows[min(inputs) :]
    end = len(layout.rows)
    while end and not layout.rows[end - 1]:
        end -= 1
    return layout.rows[max(0, end - _CHOICE_ROWS) : end]
