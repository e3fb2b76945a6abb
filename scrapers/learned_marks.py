"""Marks that open a prompt or an answer, learnt from the session where the pack's do not occur.

A release may draw its prompts and answers behind other glyphs than those a pack knows; then nothing
of the session would be read. What a person typed and sent is known from the composer: the row of
the transcript that says the same is a prompt, and what comes before it is the mark of prompts. A
glyph that opens the first rows below a prompt, and that the pack has no rule for, is the mark of
answers. Cost: O(rows) of a view, and only while a mark has not been met.
"""

import re
from collections.abc import Sequence
from datetime import date
from itertools import pairwise

from .blocks import Block
from .packs import CompiledLine, CompiledPack
from .rows import Row, letters, width
from .rules import Kind, LineRule
from .segment import Layout

# Letters that a typed text needs at least to be told from others.
_MIN_LETTERS = 8
# What comes before a text: blanks and one glyph (a variation selector may follow it) that is no
# letter, no digit, nothing that draws boxes and nothing that opens lists, notes or tool calls.
_MARK = re.compile(
    r"(?P<mark>\s{0,4}[^\w\s─-╿▀-▟\u2800-\u28ff🌑-🌘.,;:(){}\[\]\"'`|/\\#⎿└ℹ⚠✓✔✗✕✘×↳→$-]\ufe0e?\ufe0f?\s{1,2})"
    r"(?P<text>\S.*)$"
)
_LIST_MARKS = frozenset("-+")


class SentText:
    """What was typed last and has vanished from the composer, without blanks and marks."""

    def __init__(self) -> None:
        self.sent = ""
        self._typed = ""

    def observe(self, layout: Layout) -> None:
        """Take the composer of a frame."""
        typed = letters(layout.text("input") or "")
        if self._typed and not typed.startswith(self._typed[:_MIN_LETTERS]):
            self.sent = self._typed
        self._typed = typed if len(typed) >= _MIN_LETTERS else ""


def learned_prompt(pack: CompiledPack, view: Sequence[Row], sent: str) -> CompiledLine | None:
    """Return a rule for prompts if a row says what was sent and no rule takes it for a prompt."""
    if len(sent) < _MIN_LETTERS:
        return None
    for row in reversed(view):
        match = _MARK.match(row.text)
        said = letters(match.group("text")) if match is not None else ""
        if match is None or len(said) < _MIN_LETTERS or not sent.startswith(said):
            continue
        rule = pack.starting_rule(row)
        return None if rule is not None else _rule("user", match.group("mark"))
    return None


def learned_answer(pack: CompiledPack, blocks: Sequence[Block]) -> CompiledLine | None:
    """Return a rule for answers if no text was recognised and rows below prompts share a mark."""
    if any(block.kind == "text" and block.rule is not None for block in blocks):
        return None
    for prompt, block in pairwise(blocks):
        row = block.contents[0].row
        match = _MARK.match(row.text)
        if prompt.kind != "user" or block.rule is not None or match is None:
            continue
        if match.group("mark").strip() not in _LIST_MARKS and pack.starting_rule(row) is None:
            return _rule("text", match.group("mark"))
    return None


def _rule(kind: Kind, mark: str) -> CompiledLine:
    """Return the rule of a mark: rows below go on while they are set in as far as its text."""
    glyph = re.escape(mark.rstrip())
    gap = len(mark) - len(mark.rstrip())
    return CompiledLine(
        LineRule(
            id=f"learned-{kind}",
            kind=kind,
            first=rf"^{glyph} {{{gap}}}(?P<text>\S.*)$",
            next=rf"^( {{{width(mark)}}}(?P<text>.*)|)$",
            since=date.min,
            note="learnt from the session",
        )
    )
