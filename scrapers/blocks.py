"""Rows of a transcript to blocks: who says what, by the line rules of a pack.

Takes rows and a `Chrome`; gives `Block`s in order: the rule that started each, its content by
rows, the named groups of its first row. A row starts a block where a rule's `first` matches and
wears its style; else it goes on in the block before where that allows it; else it is stray.
Cost: O(rows x line rules).
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from dejavu.model import Part
from dejavu.screen import Style

from .packs import Chrome, CompiledLine
from .pattern import Match
from .rows import Row
from .rules import Kind
from .width import width

_PLAIN = Style()


@dataclass(slots=True)
class Piece:
    """The content of one row of a block, and the column it starts at."""

    text: str
    left: int
    row: Row


@dataclass(slots=True)
class Block:
    """Rows that belong together.

    `start` is the tape's row it starts at; `rule` is None if it is stray. `part` is what it says,
    once that was `made`: a block that changes is read anew.
    """

    kind: Kind
    start: int
    rule: CompiledLine | None
    pieces: list[Piece]
    groups: dict[str, str] = field(default_factory=dict[str, str])
    part: Part | None = None
    made: bool = False

    @property
    def at(self) -> float:
        """When its first row was first seen."""
        return self.pieces[0].row.at


class BlockParser:
    """Follows rows from the top; feed them in order."""

    def __init__(self, chrome: Chrome, blocks: list[Block]) -> None:
        self.chrome = chrome
        self.blocks = blocks
        self._blank = 0

    def feed(self, rows: Sequence[Row], start: int) -> None:
        """Rows of the tape from index `start` on."""
        for offset, row in enumerate(rows):
            self._feed(row, start + offset)

    def _feed(self, row: Row, index: int) -> None:
        if row.repeated:
            self._blank = 2
            return
        current = self.blocks[-1] if self.blocks else None
        if current is not None and self._wraps_into(current, row):
            self._blank = 0
            return
        found = self._start(row, current)
        if found is not None:
            self._open(found[0], found[1], row, index, current)
        elif current is not None and self._goes_on(current, row):
            pass
        elif row.text:
            left = len(row.text) - len(row.text.lstrip())
            piece = Piece(row.text.lstrip(), left, row)
            self.blocks.append(Block(self.chrome.pack.stray, index, None, [piece]))
        self._blank = 0 if row.text else self._blank + 1
        rule = self.blocks[-1].rule if self.blocks else None
        if row.folded and (rule is None or not rule.rule.absorbs):
            self.blocks += self._hidden(row, index)

    def _start(self, row: Row, current: Block | None) -> tuple[CompiledLine, Match] | None:
        """The rule whose block this row starts, if any."""
        if not row.text and not row.runs:
            return None
        before = current.rule.rule.id if current is not None and current.rule is not None else ""
        for compiled in self.chrome.lines:
            rule = compiled.rule
            if rule.after and before not in rule.after:
                continue
            if rule.near is not None and self._blank > rule.near:
                continue
            found = compiled.first.match(row.text)
            if found is not None and _wears(compiled, found, row):
                return compiled, found
        return None

    def _open(
        self,
        compiled: CompiledLine,
        found: Match,
        row: Row,
        index: int,
        current: Block | None,
    ) -> None:
        piece = _piece(found, row)
        if found.groupdict().get("clock") is not None:
            room = width(row.text[: found.start("clock")]) - 1
            piece.row = replace(row, width=room + self.chrome.pack.margin)
        same = current is not None and current.rule is compiled
        if (
            current is not None
            and same
            and compiled.rule.joins
            and self._blank <= compiled.rule.blanks
        ):
            self._pad(current, row)
            current.pieces.append(piece)
            return
        kind: Kind = compiled.rule.kind
        if kind == "detail":
            if current is not None and current.kind in ("tool_call", "fold"):
                current.kind, current.rule, current.pieces = "tool_call", compiled, [piece]
                return
            kind = "notice"
        hidden: list[Block] = []
        if compiled.rule.absorbs and row.folded:
            hidden = self._hidden(row, index, compiled.rule.only)
            if any(block.kind not in ("skip", "end", "notice") for block in hidden):
                kind = "skip"
        groups = {name: text for name, text in found.groupdict().items() if text is not None}
        self.blocks += [*hidden, Block(kind, index, compiled, [piece], groups)]

    def _hidden(self, row: Row, index: int, only: tuple[Kind, ...] = ()) -> list[Block]:
        """The blocks of the rows that were folded away, of all kinds or of some."""
        parser = BlockParser(self.chrome, [])
        for folded in row.folded:
            parser._feed(folded, index)
        return [block for block in parser.blocks if not only or block.kind in only]

    def _wraps_into(self, current: Block, row: Row) -> bool:
        """Add the row if the one before it was full and the rule lets it go on."""
        last, rule = current.pieces[-1], current.rule
        if rule is None or not rule.rule.wraps or rule.next is None:
            return False
        if not row.text or self._blank or last.text.endswith("…"):
            return False
        found = rule.next.match(row.text)
        if found is None:
            return False
        piece = _piece(found, row)
        word = (piece.text.split(maxsplit=1) or [""])[0]
        room = last.row.width - self.chrome.pack.margin - width(last.row.text)
        if width(word) + 1 <= room:
            return False
        current.pieces.append(piece)
        return True

    def _goes_on(self, current: Block, row: Row) -> bool:
        """Add the row to the current block if it may go on there."""
        if not row.text:
            return True  # Blank rows count only when something follows.
        rule = current.rule
        if rule is None:
            if current.kind == "skip":
                return False
            left = min(current.pieces[0].left, len(row.text) - len(row.text.lstrip()))
            piece = Piece(row.text[left:], left, row)
        elif rule.rule.wraps:
            return False
        elif rule.next is not None:
            found = rule.next.match(row.text)
            if found is None:
                return False
            piece = _piece(found, row)
        elif rule.rule.joins or current.kind in ("skip", "end", "notice", "error", "fold"):
            return False
        else:
            left = current.pieces[0].left
            if row.text[:left].strip():
                return False
            piece = Piece(row.text[left:], left, row)
        self._pad(current, row)
        current.pieces.append(piece)
        return True

    def _pad(self, current: Block, row: Row) -> None:
        """The blank rows between the block's last row and this one are part of it."""
        for _ in range(min(self._blank, 2)):
            current.pieces.append(Piece("", 0, Row("", False, row.width, at=row.at)))


def starts(chrome: Chrome, row: Row) -> CompiledLine | None:
    """The rule whose block a row starts wherever it stands, if any."""
    for compiled in chrome.lines:
        found = None if compiled.rule.after else compiled.first.match(row.text)
        if found is not None and _wears(compiled, found, row):
            return compiled
    return None


def _piece(found: Match, row: Row) -> Piece:
    """The content of a row: the group `text`, else `arguments`, else nothing."""
    groups = found.groupdict()
    for name in ("text", "arguments"):
        text = groups.get(name)
        if text is not None:
            return Piece(text, width(row.text[: found.start(name)]), row)
    return Piece("", 0, row)


def _wears(compiled: CompiledLine, found: Match, row: Row) -> bool:
    """Whether the groups wear the style the rule asks for. `row` is the first visible cell."""
    for group, wear in compiled.wears:
        indent = len(row.text) - len(row.text.lstrip())
        start = indent if group == "row" else found.start(group)
        if start >= 0 and not wear(style_at(row, width(row.text[:start]))):
            return False
    return True


def style_at(row: Row, column: int) -> Style:
    """The style of one cell of a row."""
    for run in row.runs:
        if run.start <= column < run.end:
            return run.style
    return _PLAIN
