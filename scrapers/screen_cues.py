"""Cues on a screen that mean the same for any agent: work in progress, and choices that wait.

`reading.classify` asks for them where a pack's rules say idle or nothing, since a pack knows only
the screens it was written from: a wrapped tip below a spinner, a new glyph before a choice, and its
rules say idle with confidence. Idle is the one wrong answer that does harm (something is typed into
a dialog), so it must hold against these cues. No agent is named here. Cost: O(rows of the bottom of
the screen); the transcript is parsed only if one of its last rows has the shape of work or starts a
prompt, and then with at most `ROWS_ABOVE` rows above the screen.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from dejavu.screen import Snapshot

from .blocks import Block, BlockParser
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
# A glyph that nothing but a spinner begins with, alone or before words.
_TURNING = re.compile(r"^\s{0,5}[\u2800-\u28ff🌑-🌘](?: ?[^\s\u2800-\u28ff]|$)")
# What a prompt to the program, not to the model, begins with.
_COMMANDS = ("/", "!")
# Rows above the screen that tell whether its first rows go on with what somebody says.
ROWS_ABOVE = 400
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
_SIDES = "│┃|"
_BOX_SIDES = frozenset(_SIDES)
# Letters below a box of keys that may be a mode, a model or a hint, and no text.
_MAX_WORDS = 40
_RADIO = frozenset("●○◉◯◦")
_KEYS = re.compile(
    r"(?i)\b(?:enter|return)\b\W{0,3}(?:to )?(?:select|confirm|choose)\b"
    r"|↵ ?(?:to )?(?:select|confirm)\b|↑ ?/?↓\W{0,3}(?:to )?(?:navigate|select|move|choose)\b"
)

# A row of key hints and nothing else, of which one leaves: what a person opened stands above it.
_HINT = r"(?i:(?:[\w+]+(?:[-+/][\w]+)*|[↑↓←→]/?[↑↓←→]?) (?:to )?[a-z][a-z ]{2,40})"
_HINT_ROW = re.compile(rf"\W*{_HINT}(?: +[·•|] +{_HINT})+\W*")
# A row of keys of which one allows and another refuses: an agent asks, and works on when answered.
_ALLOWS = r"(?:enter|return|y|a|1)\b\]?[ :]{1,2}(?:to )?(?:accept|allow|approve|confirm|yes)\b"
_REFUSES = r"(?:esc(?:ape)?|n|d|r)\b\]?[ :]{1,2}(?:to )?(?:deny|reject|refuse|decline|no)\b"
_DECISION = re.compile(rf"(?i)^[\W_]*{_ALLOWS}.{{0,60}}?\W{_REFUSES}[\W_]*$")
_LEAVES = re.compile(r"(?i)\besc(?:ape)? (?:to )?(?:close|exit|go back|dismiss|quit|leave)\b")


def open_decision(layout: Layout) -> str | None:
    """Return the row of keys that allow and refuse, if one is the last thing in a box at the bottom.

    A box has a line at either side of the row: a quotation has not, or its own box is followed by
    words of the answer.
    """
    rows = layout.lines[-_WORK_ROWS:]
    for index in range(len(rows) - 1, -1, -1):
        row = rows[index]
        if row[-1:] not in _BOX_SIDES:
            continue
        row = row.lstrip()
        if row[:1] in _BOX_SIDES and _DECISION.match(row.strip(_SIDES)):
            words = sum(map(str.isalpha, "".join(rows[index + 1 :])))
            return row.strip(_SIDES + " ")[:100] if words < _MAX_WORDS else None
    return None


def open_menu(layout: Layout) -> str | None:
    """Return the last row of the screen if it is key hints with a way out, where no input is.

    A list or a page that a person opened looks so.
    """
    row = next((row for row in reversed(layout.rows) if row), "")
    if _LEAVES.search(row) is None or _HINT_ROW.fullmatch(row) is None:
        return None
    has_input = any(region.name == "input" for region in layout.regions)
    return None if has_input else row.strip()[:100]


@dataclass(frozen=True, slots=True)
class Work:
    """A row that looks like work; `is_live`: nothing but work that goes on looks so."""

    row: str
    is_live: bool


def work_above_input(
    pack: CompiledPack, snapshot: Snapshot, layout: Layout, above: Sequence[Row] | None = ()
) -> Work | None:
    """Return the last row above the input that says the agent works, if there is one.

    It is a row with the shape of work, or a prompt that nothing has answered yet. A row that may
    have been left behind counts in the last paragraph only. A row that is part of what somebody
    said is a quotation, and one above such a row is old: neither counts. `above` are the rows that
    have scrolled off: they tell whether the first rows of the screen go on with such a text. Where
    that is not known, a row in running text counts, but is not certainly live. None: a person has
    scrolled back, so that the last row on the screen is not the last one.
    """
    lines = layout.lines
    paragraph = len(lines)
    while paragraph and lines[paragraph - 1]:
        paragraph -= 1
    candidate = _last_work(lines, paragraph)
    if candidate is None and (above is None or not _may_end_in_prompt(pack, lines)):
        return None
    blocks = _blocks(pack, snapshot, layout, above or ())
    if candidate is None:
        return _unanswered(blocks)
    said = unclaimed = -1
    for block in blocks:
        end = block.start + len(block.contents) - 1
        if block.kind in _SAID and block.rule is not None:
            said = end
        elif block.kind in _SAID:
            unclaimed = end
    live = _LIVE.search(lines[candidate]) is not None
    if candidate <= said or (candidate <= unclaimed and not (live and candidate == paragraph)):
        return None if above is None else _unanswered(blocks)
    live = live or _TURNING.search(lines[candidate]) is not None
    is_certain = live and candidate > unclaimed and not _goes_on(lines, candidate, paragraph)
    return Work(lines[candidate].strip()[:100], is_certain)


def _last_work(lines: Sequence[str], paragraph: int) -> int | None:
    """Return the last row with the shape of work; `paragraph` is where the last paragraph starts."""
    bottom = "\n".join(lines[-_WORK_ROWS:]).lower()
    has_hint = any(hint in bottom for hint in _HINTS)
    for index in range(len(lines) - 1, max(-1, len(lines) - _WORK_ROWS - 1), -1):
        row = lines[index]
        if has_hint and _LIVE.search(row):
            return index
        if index >= paragraph and (_TURNING.search(row) or (has_hint and _WORK.search(row))):
            return index
    return None


def _goes_on(lines: Sequence[str], candidate: int, paragraph: int) -> bool:
    """Whether running text follows in a later paragraph, set in no deeper than the row itself.

    What hangs under a spinner (a tip, a list of tasks) is set in or has a glyph.
    """
    if candidate >= paragraph:
        return False
    row, last = lines[candidate], lines[paragraph]
    words = last.lstrip()
    return words[:1].isalpha() and len(last) - len(words) <= len(row) - len(row.lstrip())


def _may_end_in_prompt(pack: CompiledPack, lines: Sequence[str]) -> bool:
    """Whether one of the last rows may start a prompt; cheap, and wrong at times."""
    last = [row for row in lines[-_WORK_ROWS:] if row][-4:]
    prompts = [line.first for line in pack.lines if line.rule.kind == "user"]
    return any(prompt.match(row) is not None for prompt in prompts for row in last)


def _unanswered(blocks: Sequence[Block]) -> Work | None:
    """Return the last prompt if nothing stands behind it that anybody said, did or noted."""
    last = blocks[-1] if blocks else None
    if last is None or last.kind != "user" or last.rule is None:
        return None
    if last.contents[0].text[:1] in _COMMANDS:
        return None  # a command to the program may need no answer
    return Work(last.contents[0].row.text.strip()[:100], is_live=True)


def _blocks(
    pack: CompiledPack, snapshot: Snapshot, layout: Layout, above: Sequence[Row]
) -> list[Block]:
    """Return the blocks of the transcript; the first row of the screen has the index 0."""
    start = layout.transcript.top
    rows = [
        Row(text, snapshot.wrapped[start + n], snapshot.columns, tuple(snapshot.styles[start + n]))
        for n, text in enumerate(layout.lines)
    ]
    parser = BlockParser(pack, [])
    parser.feed([*above, *rows], -len(above))
    return parser.blocks


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
