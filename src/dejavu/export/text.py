"""A conversation for the terminal: `❯` before prompts, `●` before answers, the rest indented.

Calls that change files show the change. Lines are sanitised; `paint` colours what is already safe.
O(text).
"""

from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import NamedTuple

from dejavu.model import LOW_READING, Conversation, Part, Role, Text, ToolCall, Turn
from dejavu.model.conversation import turn_number
from dejavu.model.plural import counted
from dejavu.model.timestamps import known_time
from dejavu.redact.sanitise import sanitise

from .changes import change_of, is_diff
from .parts import call_blocks, call_summary, label_and_body
from .terminal_code import Paint, painted_code, painted_diff, painted_markdown

MARKS = {Role.USER: "❯", Role.ASSISTANT: "●", Role.TOOL: "⎿", Role.SYSTEM: "·"}
"""What comes before a turn, by its role."""
TONES = {Role.USER: "1;36", Role.ASSISTANT: "0", Role.TOOL: "2", Role.SYSTEM: "2"}
"""The SGR code of a turn's own words, by its role."""
_FOLD = 12
"""Lines of a tool's answer or of reasoning that are shown unless everything is asked for."""
_PAINTED = 200_000
"""Characters of a text within which code is looked for; a longer one has one colour."""
_MARKDOWN, _DIFF = "\0markdown", "\0diff"  # languages of ours: no fence can name them


class _Block(NamedTuple):
    """Text of a part, and the language to paint it in; empty: it has one colour."""

    content: str
    language: str = ""


def as_text(
    conversation: Conversation,
    turns: Iterable[Turn] | None = None,
    *,
    paint: Paint,
    coloured: bool = False,
    full: bool = False,
    numbered: bool = False,
    at: int | None = None,
) -> Iterator[str]:
    """The lines of `conversation`; `full` shows long tool output and reasoning whole.

    `turns` are those to be shown, read while the lines are taken; None: the conversation's own.
    `numbered` puts its number before each turn; turn `at` is shown whole, too. `coloured` paints code
    and changes by their pieces, which costs some 2 s of CPU a megabyte of them.
    """
    yield paint(sanitise(conversation.title or conversation.id, newlines=False), "1")
    facts = [conversation.agent, conversation.workspace, _when(conversation.started_at)]
    facts += [
        counted(conversation.turn_count, "turn"),
        " + ".join(vector.label for vector in conversation.vectors),
        conversation.id,
    ]
    facts += [
        "★ starred" if conversation.starred else "",
        *(f"#{tag}" for tag in conversation.tags),
    ]
    yield paint(sanitise(" · ".join(fact for fact in facts if fact), newlines=False), "2")
    for turn in conversation.turns if turns is None else turns:
        yield ""
        if numbered:
            yield paint(f"#{turn_number(turn.seq)}", "2" if turn.seq != at else "1;7")
        yield from _turn_lines(turn, paint, full=full or turn.seq == at, coloured=coloured)


def _when(at: float | None) -> str:
    at = known_time(at)
    return "" if at is None else datetime.fromtimestamp(at).astimezone().strftime("%Y-%m-%d %H:%M")


def _turn_lines(turn: Turn, paint: Paint, *, full: bool, coloured: bool) -> Iterator[str]:
    for part in turn.parts:
        yield from part_lines(turn.role, part, paint, full=full, coloured=coloured)
    if turn.meta.get(LOW_READING):
        yield paint("  (from a screen that is read badly: `dejavu doctor` says more)", "2")


def part_lines(
    role: Role, part: Part, paint: Paint, *, full: bool, coloured: bool
) -> Iterator[str]:
    """The lines of one part of a turn, the mark of its `role` before the first."""
    label, blocks = _label_and_blocks(part, full=full)
    lead = f"{MARKS[role]} "
    tone = "2" if label else TONES[role]
    if label:
        yield paint(lead + sanitise(label, newlines=False).rstrip(), tone)
        lead = "    "
    limit = _FOLD if label and not full else None
    for block in blocks:
        yield from _block_lines(block, lead, paint, tone, limit=limit, coloured=coloured)


def _label_and_blocks(part: Part, *, full: bool) -> tuple[str, list[_Block]]:
    """The line that says what a part is (empty for plain text), and what is shown under it."""
    label, body = label_and_body(part)
    if not isinstance(part, ToolCall):
        if isinstance(part, Text):
            return label, [_Block(body, _MARKDOWN)]
        return label, [_Block(body, _DIFF if is_diff(body) else "")]
    change = change_of(part.arguments)
    if change is not None:
        label = f"{call_summary(part)} (+{change.added} -{change.removed})"
        return label, [_Block("\n".join(change.lines), _DIFF)]
    if not full:
        return call_summary(part), []
    return label, [_Block(block.content, block.language) for block in call_blocks(part)]


def _block_lines(
    block: _Block, lead: str, paint: Paint, tone: str, *, limit: int | None, coloured: bool
) -> Iterator[str]:
    """The lines of a block, `lead` before the first, at most `limit` of them."""
    lines = [line.rstrip() for line in sanitise(block.content).splitlines()]
    folded = 0 if limit is None else max(0, len(lines) - limit)
    lines = lines[:limit]
    if coloured and block.language and sum(map(len, lines)) <= _PAINTED:
        for line in _painted(lines, block.language, paint, tone):
            yield paint(lead, tone) + line
            lead = " " * len(lead)
        lines = []
    lines.reverse()
    while lines:
        yield paint(lead + lines.pop(), tone)  # of many megabytes: it is let go of when it is taken
        lead = " " * len(lead)
    if folded:
        yield paint(f"    … {folded} more lines (--full shows them)", "2")


def _painted(lines: list[str], language: str, paint: Paint, tone: str) -> Iterator[str]:
    if language == _MARKDOWN:
        return painted_markdown(lines, paint, tone)
    if language == _DIFF:
        return painted_diff(lines, paint, tone)
    return painted_code(lines, language, paint, tone)
