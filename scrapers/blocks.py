"""Rows of a transcript parsed into blocks (a prompt, an answer, a call ...) by a pack's line rules.

A row starts a block where a rule's `first` matches with the style the rule asks for; else it
continues the block before, where that block's rule allows it; else it is a block without a rule, of
the pack's `default_kind`. Where the agent marks its messages (OSC 133) they bound blocks before any
rule does: a block neither continues into a message nor out of it, all of a prompt is one block, and
an answer holds no other prompt or call, whatever is quoted in it. Cost: O(rows x line rules).
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from dejavu.model import Part

from .packs import CompiledLine, CompiledPack
from .pattern import Match
from .rows import Row, width
from .rules import Kind
from .sent_prompts import PromptPlaces
from .typed_keys import SentText

# Kinds of blocks that no message of an agent's holds besides its text.
_NEVER_WITHIN: frozenset[Kind] = frozenset({"user", "tool_call", "response", "fold", "error"})

# Kinds of blocks whose rows stand as far in as the text of their first one does.
_SET_IN: frozenset[Kind] = frozenset({"user", "text"})

# A command as shells show it, behind what hangs it under the call it belongs to.
_COMMAND = re.compile(r"^\s{2,}(?:[⎿└│┃]\s*)?\$ (?P<text>\S.*)$")

# A row that is what is left of a spinner: nothing else is drawn with these glyphs alone.
_REMNANT = re.compile(r"\s*[\u2800-\u28ff✢✶✻✽✳◐◑◒◓⬡⬢🌑-🌘]\s*")

# Folds within folds that are read. A row that is redrawn over and over (a damaged stream, a spinner
# that counts) may be attached to its own successor, and theirs to it.
_MAX_NESTED = 2


@dataclass(slots=True)
class RowContent:
    """The content of one row of a block, and the column it starts at."""

    text: str
    left: int
    row: Row


@dataclass(slots=True)
class Block:
    """Consecutive rows with one meaning.

    `start` is the index of its first row in the buffer; `rule` is None if no rule matched that.
    `part` is its part of a turn, cached while `part_ready`: a block that changes is parsed again.
    `continued`: its first rows were dropped and are a block of their own; of them only the first
    is in `contents`, for its column and time. `sent` is the text that was typed, of a prompt.
    """

    kind: Kind
    start: int
    rule: CompiledLine | None
    contents: list[RowContent]
    groups: dict[str, str] = field(default_factory=dict[str, str])
    part: Part | None = None
    part_ready: bool = False
    continued: bool = False
    sent: SentText | None = None

    @property
    def own_contents(self) -> list[RowContent]:
        """The contents that belong to no block before it."""
        return self.contents[1:] if self.continued else self.contents

    @property
    def at(self) -> float:
        """When its first row was first seen (seconds, the caller's clock)."""
        return self.contents[0].row.at


class BlockParser:
    """Parses rows fed in order, appending to `blocks`."""

    def __init__(
        self,
        pack: CompiledPack,
        blocks: list[Block],
        *,
        depth: int = 0,
        prompts: PromptPlaces | None = None,
    ) -> None:
        self.pack = pack
        self.blocks = blocks
        self._prompts, self._prompt_end = prompts, -1
        self._depth = depth
        self._blank = 0
        self._continues = False
        self._sealed = False  # the last block is complete
        self._message_end = -1  # the last row of the marked message that is being read
        self._message_kind: Kind | None = None  # its first block's

    def feed(self, rows: Sequence[Row], start: int) -> None:
        """Parse rows, of which the first has the index `start` in the buffer."""
        for offset, row in enumerate(rows):
            if row.mark:
                self._bound(row, rows, offset, start)
            else:
                self._feed(row, start + offset)

    def _bound(self, row: Row, rows: Sequence[Row], offset: int, start: int) -> None:
        """Parse a row at which a marked message begins or ends."""
        if row.opens:
            self._sealed, self._continues, self._message_kind = True, False, None
            end = offset
            while end < len(rows) and not rows[end].ends:
                end += 1
                if end < len(rows) and rows[end].opens:
                    end = len(rows)
            # Without an end it says where a block begins, and no more.
            self._message_end = start + end if end < len(rows) else -1
        self._feed(row, start + offset)
        if row.ends:
            self._sealed, self._continues, self._message_end = True, False, -1

    def _feed(self, row: Row, index: int) -> None:
        if row.repeated:
            self._blank, self._continues = 2, False
            return
        if self._prompts is not None and self._feed_prompt(row, index):
            return
        last = self.blocks[-1] if self.blocks else None
        current = None if self._sealed else last
        continues, self._continues = self._continues, row.is_soft_wrapped or row.joined
        if continues and current is not None:
            self._append_wrapped(current, row)
            return
        if current is not None and self._continue_wrapped(current, row):
            self._blank = 0
            return
        if current is not None and self._append_command(current, row):
            return
        started = self._start(row, last)
        if started is not None and started[0].rule.kind == "user" and self._denied(index):
            started = None
        if started is not None and index <= self._message_end and self._belongs(started[0]):
            started = None
        if started is not None and started[0].rule.kind == "blank":
            self._blank += 1
            return
        if started is not None:
            self._open(*started, row, index, current)
        elif current is not None and self._continue_block(current, row):
            pass
        elif current is not None and _is_shaded_prompt(current, row):
            self._pad(current, row)
            current.contents.append(RowContent(row.text, 0, row))
        elif current is not None and self._message_kind and index <= self._message_end:
            self._append_to_message(current, row)
        elif current is not None and current.rule is not None and _REMNANT.fullmatch(row.text):
            self._blank += 1
            return
        elif row.text:
            left = len(row.text) - len(row.text.lstrip())
            content = RowContent(row.text.lstrip(), left, row)
            self.blocks.append(Block(self.pack.spec.default_kind, index, None, [content]))
        if row.text and self._sealed:
            self._sealed, self._message_kind = False, self.blocks[-1].kind
        self._blank = 0 if row.text else self._blank + 1
        rule = self.blocks[-1].rule if self.blocks else None
        if row.folded and (rule is None or not rule.rule.absorbs):
            self.blocks += self._parse_folded(row, index)

    def _feed_prompt(self, row: Row, index: int) -> bool:
        """Parse a row that shows a text which was typed; return whether it is one."""
        if index <= self._prompt_end:
            block = self.blocks[-1]
            left = min(block.contents[0].left, len(row.text) - len(row.text.lstrip()))
            block.contents.append(RowContent(row.text[left:], left, row))
        elif self._prompts is not None and (found := self._prompts.find(index)) is not None:
            rule = self.pack.starting_rule(row)
            rule = rule if rule is not None and rule.rule.kind == "user" else None
            match = rule.first.match(row.text) if rule is not None else None
            left = len(row.text) - len(row.text.lstrip())
            content = row_content(match, row) if match else RowContent(row.text.lstrip(), left, row)
            self.blocks.append(Block("user", index, rule, [content], sent=found.sent))
            self._prompt_end = index + found.rows - 1
        else:
            return False
        self._blank, self._continues = 0, False
        self._sealed = (
            self._prompts is not None and self._prompts.guessed and index == self._prompt_end
        )
        return True

    def _denied(self, index: int) -> bool:
        """Whether no prompt was typed that the row at an index may be."""
        return self._prompts is not None and self._prompts.denies(index)

    def _belongs(self, started: CompiledLine) -> bool:
        """Whether a row that would start a block is part of the marked message it is in."""
        if self._message_kind is None:
            return False
        return self._message_kind == "user" or started.rule.kind in _NEVER_WITHIN

    def _append_to_message(self, current: Block, row: Row) -> None:
        """Append a row of a marked message that looks like something else, or like nothing known."""
        rule = current.rule
        match = rule.first.match(row.text) if rule is not None else None
        left = min(current.contents[0].left, len(row.text) - len(row.text.lstrip()))
        self._pad(current, row)
        current.contents.append(
            row_content(match, row) if match else RowContent(row.text[left:], left, row)
        )

    def _append_command(self, current: Block, row: Row) -> bool:
        """Append the row right below a call that says nothing but a name, if it has a `$` prompt."""
        if current.kind != "tool_call" or self._blank or current.contents[-1].text:
            return False
        match = _COMMAND.match(row.text)
        if match is None or len(current.contents) > 1:
            return False
        left = width(row.text[: match.start("text")])
        current.contents.append(RowContent(match.group("text"), left, row))
        return True

    def _append_wrapped(self, current: Block, row: Row) -> None:
        """Append the rest of a row that the terminal wrapped: part of its block whatever it says.

        It takes its indent from the row it continues: a wrapped row continues in the first column.
        """
        self._blank = 0
        if row.text:
            current.contents.append(RowContent(row.text, current.contents[-1].left, row))

    def _start(self, row: Row, current: Block | None) -> tuple[CompiledLine, Match] | None:
        """Return the rule whose block this row starts, with its match, if any."""
        if not row.text and not row.runs:
            return None
        before = current.rule.rule.id if current is not None and current.rule is not None else ""
        for compiled in self.pack.starting(row.text, before):
            near = compiled.rule.near
            if near is not None and self._blank > near:
                continue
            if (match := compiled.match(row)) is not None:
                return compiled, match
        return None

    def _open(
        self,
        compiled: CompiledLine,
        match: Match,
        row: Row,
        index: int,
        current: Block | None,
    ) -> None:
        content = row_content(match, row)
        if match.groupdict().get("clock") is not None:
            room = width(row.text[: match.start("clock")]) - 1
            content.row = replace(row, width=room + self.pack.spec.margin)
        same = current is not None and current.rule is compiled
        if (
            current is not None
            and same
            and compiled.rule.joins
            and self._blank <= compiled.rule.blanks
        ):
            self._pad(current, row)
            current.contents.append(content)
            return
        kind: Kind = compiled.rule.kind
        if kind == "detail":
            if current is not None and current.kind in ("tool_call", "fold"):
                current.kind, current.rule, current.contents = "tool_call", compiled, [content]
                return
            kind = "notice"
        hidden: list[Block] = []
        if compiled.rule.absorbs and row.folded:
            hidden = self._parse_folded(row, index, compiled.rule.only)
            if any(block.kind not in ("skip", "end", "notice") for block in hidden):
                kind = "skip"
        groups = {name: text for name, text in match.groupdict().items() if text is not None}
        self.blocks += [*hidden, Block(kind, index, compiled, [content], groups)]

    def _parse_folded(self, row: Row, index: int, only: tuple[Kind, ...] = ()) -> list[Block]:
        """Parse the rows a fold replaced; return their blocks of all kinds, or of `only` some."""
        if self._depth >= _MAX_NESTED:
            return []
        parser = BlockParser(self.pack, [], depth=self._depth + 1)
        for folded in row.folded:
            parser._feed(folded, index)
        return [block for block in parser.blocks if not only or block.kind in only]

    def _continue_wrapped(self, current: Block, row: Row) -> bool:
        """Append the row if the one before was full and the rule (`wraps`) lets it continue."""
        last, rule = current.contents[-1], current.rule
        if rule is None or not rule.rule.wraps or rule.next is None:
            return False
        if not row.text or self._blank or last.text.endswith("…"):
            return False
        match = rule.next.match(row.text)
        if match is None:
            return False
        content = row_content(match, row)
        word = (content.text.split(maxsplit=1) or [""])[0]
        room = last.row.width - self.pack.spec.margin - width(last.row.text)
        if width(word) + 1 <= room:
            return False
        current.contents.append(content)
        return True

    def _continue_block(self, current: Block, row: Row) -> bool:
        """Append the row to the current block if the rule lets it continue there."""
        if not row.text:
            return True  # Blank rows count only if a row of the block follows.
        rule = current.rule
        if rule is None:
            if current.kind == "skip":
                return False
            left = min(current.contents[0].left, len(row.text) - len(row.text.lstrip()))
            content = RowContent(row.text[left:], left, row)
        elif rule.rule.wraps:
            return False
        elif rule.next is not None:
            match = rule.next.match(row.text)
            left = current.contents[0].left
            if match is not None:
                content = row_content(match, row)
            elif current.kind in _SET_IN and left and not row.text[:left].strip():
                content = RowContent(row.text[left:], left, row)  # another release sets in less
            else:
                return False
        elif rule.rule.joins or current.kind in ("skip", "end", "notice", "error", "fold"):
            return False
        else:
            left = current.contents[0].left
            if row.text[:left].strip():
                return False
            content = RowContent(row.text[left:], left, row)
        self._pad(current, row)
        current.contents.append(content)
        return True

    def _pad(self, current: Block, row: Row) -> None:
        """Append the blank rows between the block's last row and this one, at most two."""
        for _ in range(min(self._blank, 2)):
            current.contents.append(RowContent("", 0, Row("", False, row.width, at=row.at)))


def _is_shaded_prompt(current: Block, row: Row) -> bool:
    """Whether a row has the background that the prompt before it is drawn on."""
    if current.kind != "user" or not row.text:
        return False
    first = current.contents[0]
    background = first.row.style_at(first.left).bg
    indent = len(row.text) - len(row.text.lstrip())
    return background is not None and row.style_at(indent).bg == background


def row_content(match: Match, row: Row) -> RowContent:
    """Return the content of a row: the group `text`, else `arguments`, else nothing."""
    groups = match.groupdict()
    for name in ("text", "arguments"):
        text = groups.get(name)
        if text is not None:
            return RowContent(text, width(row.text[: match.start(name)]), row)
    return RowContent("", 0, row)
