"""Cues on a screen that mean the same for any agent: work in progress.

`reading.classify` asks for them where a pack's rules say idle or nothing, since a pack knows only
the screens it was written from: a wrapped tip below a spinner, a clock without a hint, and its rules
say idle with confidence. Idle is the one wrong answer that does harm (something is typed into a
turn), so it must hold against these cues. No agent is named. Cost: O(rows of the bottom of the
screen); the transcript is parsed only if one of its last rows has the shape of work or starts a
prompt, and then with at most `ROWS_ABOVE` rows above the screen.

Tested in: tests/scrapers/test_status.py
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from dejavu.screen import Snapshot

from .blocks import Block, BlockParser
from .choice_cues import has_input
from .packs import CompiledPack
from .rows import Row
from .segment import Layout
from .state import TurnEnd

# Rows above the input in which a sign of work counts: a spinner, its tip, a list of tasks.
_WORK_ROWS = 14
# Blocks of these kinds are what was said: signs of work in them are quoted, above them old.
_SAID = frozenset({"user", "text", "reasoning", "tool_call", "response", "error", "end"})

# Glyphs that spinners turn through, as part of a regular expression's class.
SPINNER_GLYPHS = r"·✢*✶✻✽✳✺∗⊶⊷◌◍◎◐◑◒◓⬡⬢≈∼≋\u2800-\u28ff🌑-🌘"
_SPINNER = f"[{SPINNER_GLYPHS}]"
_INTERRUPT = (
    r"(?i:\b(?:esc(?:ape)?|ctrl[+-]c)\b\W{0,3}(?:again )?(?:to )?(?:interrupt|cancel|stop)\b)"
)
_SECONDS = r"(?:\d{1,3}[hm] ?)*\d{1,4}(?:\.\d)?s\b"
_CLOCK = rf"\(\s?{_SECONDS}"
# One of these is in every such row: most screens have none, and are done with.
_HINTS = ("…", "...", "interrupt", "cancel", "stop", "s)")
# A glyph that nothing but a spinner begins with, alone or before words.
_TURNING = re.compile(r"^\s{0,5}[\u2800-\u28ff🌑-🌘](?: ?[^\s\u2800-\u28ff]|$)")
# What a prompt to the program, not to the model, begins with.
_COMMANDS = ("/", "!")
# Rows above the screen that tell whether its first rows go on with what is said.
ROWS_ABOVE = 400
# A spinner glyph, a few words, an ellipsis; or a key that interrupts: a status row, live or left.
_WORK = re.compile(rf"^\s{{0,5}}{_SPINNER} \S+(?: \S+){{0,3}}?(?:…|\.\.\.)|{_INTERRUPT}")
# Words, an ellipsis, then a running clock or a key that interrupts: nothing but work looks so. On a
# narrow screen nothing is left between a spinner and its words.
_LIVE = re.compile(
    rf"^\s{{0,5}}(?:\S{{1,2}} |[\u2800-\u28ff🌑-🌘])\S.{{0,160}}?(?:…|\.\.\.)"
    rf".{{0,40}}?(?:{_CLOCK}|{_INTERRUPT})"
)
# A few words and a key that interrupts in brackets, a clock next to it or a spinner before them: it
# may open its own block, where a pack takes its glyph for an answer's.
_ANY_KEY = rf"(?:{_INTERRUPT}|[\w+-]+ to interrupt\b)"
_HINTED = re.compile(
    rf"^\s{{0,5}}(?:\S{{1,2}} [^()]{{1,100}}{_CLOCK}[^()]{{0,40}}?\W{_ANY_KEY}[^()]{{0,60}}\)"
    rf"|{_SPINNER} [^()]{{1,100}}\([^()]{{0,40}}?{_INTERRUPT}[^()]{{0,60}}\))(?:$| ?[·•|])"
)
# A word that ends as continuing work does in English, and a clock: no hint where its key is unbound.
_CLOCKED = re.compile(rf"^\s{{0,5}}[^\s\w✓✔✗✘×] \w+ing(?: \w+){{0,5}}\.* {_CLOCK}\)$")
# The time that a turn took, in the mark of its end.
_TOOK = re.compile(rf"(?<![\w.]){_SECONDS}|(?<![\w.])\d{{1,3}}[hm]\b")
# Below the input: a glyph or a bar that moves and a key that interrupts, or a key that does no less.
_BELOW = re.compile(
    rf"^\s{{0,5}}(?:{_SPINNER}|[◉○●∙]|[⬝■▪▫□◾◽▰▱]{{4,}}) .*{_INTERRUPT}"
    r"|(?i:\besc(?:ape)?\b\W{0,3}(?:again )?(?:to )?interrupt\b)"
)
# What is queued may follow a status row in its own blocks, hung under a title.
_QUEUED_ROWS = 8
_QUEUED = re.compile(r"^\s*[↳⤷└]")


@dataclass(frozen=True, slots=True)
class Work:
    """A row that looks like work; `is_live`: nothing but work in progress looks so."""

    row: str
    is_live: bool


def work_above_input(
    pack: CompiledPack,
    snapshot: Snapshot,
    layout: Layout,
    above: Sequence[Row] | None = (),
    *,
    prompts: bool = True,
) -> Work | None:
    """Return the last row above the input that says the agent works, if there is one.

    It is a row with the shape of work, or (`prompts`) a prompt that nothing has answered yet. A row that may
    have been left behind counts in the last paragraph only. A row that is part of what someone
    said is a quotation, and one above such a row is old: neither counts. `above` are the rows that
    have scrolled off: they tell whether the first rows of the screen go on with such a text. Where
    that is not known, a row in running text counts, but is not certainly live. None: a person has
    scrolled back, so that the last row on the screen is not the last one.
    """
    below = work_below_input(layout)
    if below is not None:
        return below
    lines = layout.lines
    paragraph = len(lines)
    while paragraph and lines[paragraph - 1]:
        paragraph -= 1
    candidate = _last_work(lines, paragraph)
    if candidate is not None and not prompts and candidate < paragraph:
        return None  # Where no input is known it is unknown what is above it.
    may_be_prompt = prompts and above is not None
    if candidate is None and not (may_be_prompt and _may_end_in_prompt(pack, lines)):
        return None
    first = max(0, len(lines) - _QUEUED_ROWS)
    first = first if candidate is None else min(candidate, first)
    blocks = _blocks(pack, snapshot, layout, above or (), first)
    if candidate is None:
        return _unanswered(blocks)
    status_row = _own_block(lines, blocks, paragraph)
    if status_row is not None:
        return status_row
    said = unclaimed = -1
    for block in blocks:
        end = block.start + len(block.contents) - 1
        if block.kind in _SAID and block.rule is not None:
            said = end
        elif block.kind in _SAID:
            unclaimed = end
    live = _LIVE.search(lines[candidate]) is not None
    if candidate <= said or (candidate <= unclaimed and not (live and candidate == paragraph)):
        return _unanswered(blocks) if may_be_prompt else None
    live = live or _TURNING.search(lines[candidate]) is not None
    is_certain = live and candidate > unclaimed and not _goes_on(lines, candidate, paragraph)
    return Work(lines[candidate].strip()[:100], is_certain)


def ended_turn(
    pack: CompiledPack, snapshot: Snapshot, layout: Layout, above: Sequence[Row] | None = ()
) -> str | None:
    """Return the mark that ends the last turn, if it is the last block above an input."""
    if above is None or not has_input(layout) or turn_end(pack, layout) is TurnEnd.OPEN:
        return None
    blocks = _blocks(pack, snapshot, layout, above, len(layout.lines) - 1)
    last = next(row for row in reversed(layout.lines) if row)
    return last.strip()[:100] if blocks and blocks[-1].kind == "end" else None


def turn_end(pack: CompiledPack, layout: Layout) -> TurnEnd:
    """What the transcript's last row says of the end of its last turn."""
    last = next((row for row in reversed(layout.lines) if row), "")
    if not any(line.rule.kind == "end" and line.first.match(last) for line in pack.lines):
        return TurnEnd.OPEN
    return TurnEnd.TIMED if _TOOK.search(last) else TurnEnd.MARKED


def _last_work(lines: Sequence[str], paragraph: int) -> int | None:
    """Return the last row with the shape of work; `paragraph` is where the last paragraph starts."""
    bottom = "\n".join(lines[-_WORK_ROWS:]).lower()
    has_hint = any(hint in bottom for hint in _HINTS)
    for index in range(len(lines) - 1, max(-1, len(lines) - _WORK_ROWS - 1), -1):
        row = lines[index]
        if has_hint and (_LIVE.search(row) or _HINTED.search(row)):
            return index
        if index >= paragraph and (_TURNING.search(row) or (has_hint and _is_work(row))):
            return index
    return None


def _is_work(row: str) -> bool:
    return _WORK.search(row) is not None or _CLOCKED.search(row) is not None


def work_below_input(layout: Layout) -> Work | None:
    """Return the row below the input that says the agent works, if there is one."""
    inputs = [region.bottom for region in layout.regions if region.name == "input"]
    for row in layout.rows[max(inputs) :] if inputs else ():
        if _BELOW.search(row) is not None:
            return Work(row.strip()[:100], is_live=True)
    return None


def _own_block(lines: Sequence[str], blocks: Sequence[Block], paragraph: int) -> Work | None:
    """Return the status row that opens one of the last blocks, taken by a rule for something said."""
    for block in reversed(blocks):
        if block.rule is None or block.kind in ("user", "end", "tool_call", "response"):
            return None
        if block.start < max(0, len(lines) - _QUEUED_ROWS):
            return None
        row = lines[block.start]
        is_last = block.start == paragraph == len(lines) - 1
        if _HINTED.search(row) or (is_last and _CLOCKED.search(row)):
            return Work(row.strip()[:100], is_live=True)
        if not any(_QUEUED.match(content.row.text) for content in block.contents):
            return None
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
    """Return the last prompt if nothing said, done or noted comes after it."""
    last = blocks[-1] if blocks else None
    if last is None or last.kind != "user" or last.rule is None:
        return None
    if last.contents[0].text[:1] in _COMMANDS:
        return None  # a command to the program may need no answer
    return Work(last.contents[0].row.text.strip()[:100], is_live=True)


def _blocks(
    pack: CompiledPack, snapshot: Snapshot, layout: Layout, above: Sequence[Row], first: int
) -> list[Block]:
    """Return the blocks of the transcript that reach row `first` of the screen's, or start below it."""
    lines, top = layout.lines, layout.transcript.top

    def row(index: int) -> Row:
        at = top + index
        return Row(lines[index], snapshot.wrapped[at], snapshot.columns, snapshot.row_styles(at))

    parser, start = BlockParser(pack, []), first
    wrapped = snapshot.wrapped[top:]
    while start > 0:
        # Behind a blank row nothing continues but what a wrapped row above it began.
        is_apart = not lines[start - 1] and not any(wrapped[max(0, start - 2) : start])
        if is_apart and lines[start] and pack.opens_block(row(start)):
            break
        start -= 1
    if start > 0:
        above = ()
    parser.feed([*above, *map(row, range(max(0, start), len(lines)))], start - len(above))
    return parser.blocks
