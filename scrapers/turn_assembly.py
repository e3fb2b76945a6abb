"""Blocks of a transcript read as parts, and parts put together into turns.

`BlockReader` gives each block its part, with the secrets in its rows marked; a tool call that the
transcript cuts short is completed by the command that its dialog showed. The last `_MAX_COMMANDS` of
one session are kept. Cost: O(rows of the dialog) a screen, O(rows) a block that is not ready.

`assemble` makes turns: one a role, until another one speaks. What comes before the first prompt
belongs to no turn. Of an agent that no rules know, rows that no rule claims are the answer where
nothing else is, and turns are marked so. Cost: O(blocks).

Tested in: tests/scrapers/test_parsed_buffer.py
"""

import re
from collections import deque
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from dejavu.model import (
    Part,
    Reasoning,
    Role,
    Text,
    ToolCall,
    ToolCallResponse,
    Turn,
    Vector,
)

from .blocks import Block, RowContent
from .packs import CompiledPack
from .pattern import Pattern
from .rows import Row, width
from .secret_rows import WITHHELD, BlockMask, SecretRows
from .segment import Layout
from .unwrap import unwrap_block, verbatim

_MAX_COMMANDS = 64
# The right border of the boxes a row is in.
_BORDERS = re.compile(r"(?: ?[│┃])+$")


class DialogCommands:
    """The commands for which the dialogs of one session asked permission."""

    def __init__(self, pack: CompiledPack, secrets: SecretRows) -> None:
        self._secrets = secrets
        self._rows: tuple[str, ...] = ()
        self._pattern = pack.dialog_command
        self._margin = pack.spec.margin
        self._commands: deque[str] = deque(maxlen=_MAX_COMMANDS)

    def observe(self, layout: Layout) -> None:
        """Remember the command of the dialog on a screen, if there is one."""
        if self._pattern is None:
            return
        for region in layout.regions:
            if region.name == "dialog":
                rows = tuple(layout.rows[region.top : region.bottom])
                if rows == self._rows:
                    continue
                self._rows = rows
                contents = self._secrets.masked(_command_rows(self._pattern, rows, region.right))
                command = self._secrets.labelled(
                    unwrap_block(contents, self._margin, markdown=False)
                )
                if command and command not in self._commands:
                    self._commands.append(command)

    def complete(self, text: str) -> str:
        """Return the text, or the last known command it begins if it ends in an ellipsis."""
        start = " ".join(text.removesuffix("…").split())
        if text.endswith("…") and start:
            for command in reversed(self._commands):
                if " ".join(command.split()).startswith(start):
                    return command
        return text


def _command_rows(pattern: Pattern, rows: Sequence[str], columns: int) -> list[RowContent]:
    """Return the rows of a dialog that spell out its command, without the box around them."""
    contents: list[RowContent] = []
    for text in rows:
        inside = _BORDERS.sub("", text)
        row = Row(text, False, width(inside) if len(inside) < len(text) else columns)
        if not contents:
            match = pattern.match(text)
            if match is not None:
                start = match.start("text")
                contents.append(RowContent(inside[start:].rstrip(), start, row))
            continue
        rest = inside.strip("┃│ ")
        if not rest or rest[0] in "╰└─╌━":
            break
        contents.append(RowContent(rest, contents[0].left, row))
    return contents


class BlockReader:
    """Reads the blocks of one session as parts of turns. With a `mask` secrets are marked."""

    def __init__(self, pack: CompiledPack, mask: BlockMask | None) -> None:
        self._spec = pack.spec
        self._secrets = SecretRows(mask)
        self._commands = DialogCommands(pack, self._secrets)

    def observe(self, layout: Layout) -> None:
        """Take a screen, whose dialog may show a command in full."""
        self._commands.observe(layout)

    def read(self, blocks: list[Block], *, open_end: bool = False) -> list[Block]:
        """Return the blocks with the part of each; only those that are not ready are read."""
        for block, contents in self._secrets.to_read(blocks, open_end=open_end):
            block.part, block.part_ready = self._typed(block, contents), True
        return blocks

    def _typed(self, block: Block, contents: list[RowContent] | None) -> Part | None:
        """Return a prompt as it was typed, where its rows hide nothing; else what they show."""
        if block.sent is None or not block.sent.exact or not contents or block.continued:
            return self._part(block, contents)
        shown = [content.text for content in block.own_contents]
        is_masked = shown != [content.text for content in contents]
        text = self._secrets.redacted(block.sent.text)
        if is_masked and text == block.sent.text:
            return self._part(block, contents)
        return Text(text)

    def _part(self, block: Block, contents: list[RowContent] | None) -> Part | None:
        """Return the block as a part of a turn; None if it has no text.

        contents: its rows, secrets marked; None if it is unknown whether there are any.
        """
        if contents is None:
            return _withheld(block)
        if not contents:
            return None
        spec = self._spec
        rule = block.rule.rule if block.rule is not None else None
        if rule is not None and rule.verbatim:
            text = verbatim(contents)
        else:
            text = unwrap_block(
                contents,
                spec.margin,
                markdown=block.kind in ("text", "reasoning"),
                numbered_code=spec.numbered_code,
                padded_code=spec.padded_code,
            )
        text = self._secrets.labelled(text)
        match block.kind:
            case "tool_call" | "fold":
                name = block.groups.get("name") or (rule.tool if rule is not None else None)
                if name is None:
                    name, text = block.contents[0].row.text.strip(), ""
                key = rule.arguments.get(name, rule.argument) if rule is not None else "input"
                arguments = {key: self._commands.complete(text)} if text else None
                return ToolCall(None, self._secrets.redacted(name), arguments)
            case "response":
                return ToolCallResponse(None, text)
            case "reasoning":
                return Reasoning(text) if text else None
            case _:
                return Text(text) if text else None


def _withheld(block: Block) -> Part | None:
    """Return the text put in place of a block that could not be checked for secrets."""
    match block.kind:
        case "tool_call" | "fold":
            return ToolCall(None, WITHHELD, None)
        case "response":
            return ToolCallResponse(None, WITHHELD)
        case _:
            return Text(WITHHELD)


_ROLES = {
    "user": Role.USER,
    "text": Role.ASSISTANT,
    "reasoning": Role.ASSISTANT,
    "tool_call": Role.ASSISTANT,
    "fold": Role.ASSISTANT,
    "response": Role.TOOL,
    "error": Role.SYSTEM,
}


class AssembledTurn(NamedTuple):
    """A turn, and the index of the block that the next turn begins with."""

    turn: Turn
    end: int


def assemble(
    blocks: Sequence[Block], *, first: int = 0, guessed: bool = False
) -> Iterator[AssembledTurn]:
    """Yield the turns of blocks that were read, numbered from `first`.

    Only the very first needs a prompt before it. guessed: no rules know the agent.
    """
    answers = _unclaimed(blocks) if guessed else frozenset[int]()
    role: Role | None = None
    parts: list[Part] = []
    at = 0.0
    seq = first
    for index, block in enumerate(blocks):
        speaker = Role.ASSISTANT if index in answers else _ROLES.get(block.kind)
        if speaker is None or (role is None and not first and speaker is not Role.USER):
            continue
        part = block.part
        if part is None:
            continue
        if role is not None and (speaker is not role or speaker is Role.USER):
            yield AssembledTurn(_turn(seq, role, parts, at, guessed), index)
            seq += 1
            parts = []
        if not parts:
            role, at = speaker, block.at
        is_rest = index in answers and index - 1 in answers and bool(parts)
        if is_rest and isinstance(part, Text) and isinstance(parts[-1], Text):
            parts[-1] = Text(f"{parts[-1].content}\n{part.content}")
        else:
            parts.append(part)
    if role is not None and parts:
        yield AssembledTurn(_turn(seq, role, parts, at, guessed), len(blocks))


def _unclaimed(blocks: Sequence[Block]) -> frozenset[int]:
    """Return the blocks that are all there is of an answer, though no rule claims them."""
    found: list[int] = []
    exchange: list[int] = []
    answered = True  # what comes before the first prompt here is unknown
    for index, block in enumerate(blocks):
        if block.kind == "user":
            found += [] if answered else exchange
            exchange, answered = [], False
        elif block.rule is None:
            exchange.append(index)
        elif _ROLES.get(block.kind) is Role.ASSISTANT:
            answered = True
    return frozenset(found if answered else [*found, *exchange])


def _turn(seq: int, role: Role, parts: list[Part], at: float, guessed: bool) -> Turn:
    meta: dict[str, str | int | float | None] = {"low": True} if guessed else {}
    return Turn(seq=seq, role=role, parts=tuple(parts), at=at, vector=Vector.SCREEN, meta=meta)
