"""The rows of blocks with their secrets marked, before any two of them are joined.

Only here is it known which rows stood together and how wide they were: once they are a text, a
secret that was broken over two of them is found no more. Blocks are masked together with the rows
before and behind them, since a rule may take the rest of a secret for the start of something else.
What cannot be judged is withheld. Cost: linear in the rows of the blocks that are not read yet, and
of `_CONTEXT` rows on either side of them.

Tested in: tests/scrapers/test_turn_assembly.py
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from logging import getLogger
from typing import Protocol

from .blocks import Block, RowContent
from .rows import Row, were_adjacent

__all__ = ["WITHHELD", "BlockMask", "SecretRows"]

WITHHELD = "[withheld: it could not be checked for secrets]"
"""The text put in place of a block that could not be judged."""

_log = getLogger(__name__)

# Rows next to a block that may hold the rest of its secrets: a key of 4,096 bits at 60 columns.
_CONTEXT = 64
# Rows before a cut that it may have parted from their rest, whatever was drawn between: at the end of
# a live screen stand an input and a status line.
_UNSTEADY = 8
# Rows that are masked together at most.
_TOGETHER = 2000


class BlockMask(Protocol):
    """What finds secrets: `dejavu.redact.Redactor`."""

    def mask_block(
        self,
        rows: Sequence[str],
        columns: int,
        wrapped: Sequence[bool] | None = None,
        *,
        cut_above: bool = False,
        cut_below: bool = False,
        suspect: Sequence[bool] = (),
        ends: Sequence[bool] = (),
        widths: Sequence[int] = (),
    ) -> list[str]:
        """Return as many rows, each as wide as before, with marks over secrets."""
        ...

    def labels(self, text: str) -> str:
        """Return a text made of such rows with replacements for the marks."""
        ...

    def redact(self, text: str) -> str:
        """Return a text with replacements for its secrets."""
        ...


class SecretRows:
    """Marks secrets with a `BlockMask`; without one every row is as it is."""

    def __init__(self, mask: BlockMask | None) -> None:
        self._mask = mask

    def labelled(self, text: str) -> str:
        """Return a text made of masked rows with the labels in place."""
        return text if self._mask is None else self._mask.labels(text)

    def redacted(self, text: str) -> str:
        """Return a short text that was never broken, redacted."""
        return text if self._mask is None else self._mask.redact(text)

    def masked(
        self,
        contents: Sequence[RowContent],
        *,
        cut_above: bool = False,
        cut_below: bool = False,
        last_rows: Sequence[RowContent] = (),
    ) -> list[RowContent]:
        """Return rows with their secrets marked; before and behind them others may be missing.

        last_rows: those of them with which a block ends.
        """
        if self._mask is None:
            return list(contents)
        masked: list[RowContent] = []
        start = 0
        last_of_blocks = set(map(id, last_rows))
        for end in [*_cuts(contents), len(contents)]:
            if start < end:
                masked += self._marked(
                    contents[start:end],
                    cut_above=bool(start) or cut_above,
                    cut_below=end < len(contents) or cut_below,
                    last_of_blocks=last_of_blocks,
                )
            start = end
        return masked

    def _marked(
        self,
        contents: Sequence[RowContent],
        *,
        cut_above: bool,
        cut_below: bool,
        last_of_blocks: set[int],
    ) -> list[RowContent]:
        """Return rows between two cuts with their secrets marked."""
        assert self._mask is not None  # noqa: S101 - `masked` has looked
        cut_above = cut_above or contents[0].row.cut_above
        cut_below = cut_below or contents[-1].row.cut_below
        last = len(contents) - (_UNSTEADY if cut_below else 0)
        rows = self._mask.mask_block(
            # A row that is no part of its block's text may still be a part of a secret.
            [content.text or content.row.text.strip() for content in contents],
            _columns(contents),
            [content.row.wrapped or content.row.joined for content in contents],
            cut_above=cut_above,
            cut_below=cut_below,
            suspect=[
                content.row.suspect or number >= last for number, content in enumerate(contents)
            ],
            ends=[id(content) in last_of_blocks for content in contents],
            widths=[content.row.width - content.left for content in contents],
        )
        return [
            replace(content, text=text if content.text else "")
            for content, text in zip(contents, rows, strict=True)
        ]

    def to_read(
        self, blocks: list[Block], *, open_end: bool = False
    ) -> Iterator[tuple[Block, list[RowContent] | None]]:
        """Yield the blocks that are to be read, with their rows masked; None: to be withheld.

        A block next to one that changed is read again: the rest of a secret may have come.
        """
        first = next((n for n, block in enumerate(blocks) if not block.part_ready), len(blocks))
        if self._mask is None:
            yield from ((block, block.own_contents) for block in blocks if not block.part_ready)
            return
        if open_end and blocks:
            first = min(first, len(blocks) - 1)
        if first == len(blocks):
            return
        rows = 0
        while (
            first > 0 and rows < _CONTEXT and blocks[first - 1].start >= 0
        ):  # else rows were dropped
            first -= 1
            rows += len(blocks[first].own_contents)
        while first < len(blocks):
            end, rows = first, 0
            while end < len(blocks) and (end == first or rows < _TOGETHER):
                rows += len(blocks[end].own_contents)
                end += 1
            yield from self._masked_together(blocks, first, end, open_end=open_end)
            first = end

    def _masked_together(
        self, blocks: list[Block], first: int, end: int, *, open_end: bool
    ) -> Iterator[tuple[Block, list[RowContent] | None]]:
        above = _context(reversed(blocks[max(first - _CONTEXT, 0) : first]), reverse=True)
        below = _context(blocks[end : end + _CONTEXT])
        own = [content for block in blocks[first:end] for content in block.own_contents]
        try:
            # What was on the screen first may be the rest of what had scrolled off.
            masked = self.masked(
                [*above, *own, *below],
                cut_above=True,
                cut_below=open_end and end == len(blocks),
                last_rows=list(_last_rows(blocks[max(first - _CONTEXT, 0) : end + _CONTEXT])),
            )
        except Exception as error:  # whatever it was: what was not judged is not to be kept
            _log.error("rows could not be checked for secrets: %s", type(error).__name__)
            yield from ((block, self._alone(block)) for block in blocks[first:end])
            return
        position = len(above)
        for block in blocks[first:end]:
            count = len(block.own_contents)
            yield block, masked[position : position + count]
            position += count

    def _alone(self, block: Block) -> list[RowContent] | None:
        """Return the rows of a block next to one that cannot be judged; None if it is this one."""
        try:
            return self.masked(block.own_contents, cut_above=True, cut_below=True)
        except Exception:  # told of where they were tried together
            return None


def _last_rows(blocks: Iterable[Block]) -> Iterator[RowContent]:
    """Yield the last row with words of each block."""
    for block in blocks:
        for content in reversed(block.own_contents):
            if content.row.has_words:
                yield content
                break


def _columns(contents: Sequence[RowContent]) -> int:
    """Return the columns of the widest row; a blank one may be left of another width."""
    widths = [content.row.width - content.left for content in contents if content.row.has_words]
    return max(widths, default=0) or contents[0].row.width


def _cuts(contents: Sequence[RowContent]) -> Iterator[int]:
    """Yield where rows follow others that they were never seen next to.

    Rows drawn for another width were redrawn: what stood between may be lost, though the rows
    next to it are alike.
    """
    last: Row | None = None
    for number, content in enumerate(contents):
        row = content.row
        if not row.has_words:
            continue
        if last is not None and (
            last.cut_below
            or row.cut_above
            or (row is not last and not were_adjacent(last, row))
            or (row.width != last.width and not last.joined)
        ):
            yield number
        last = row


def _context(blocks: Iterable[Block], *, reverse: bool = False) -> list[RowContent]:
    """Return the rows of blocks next to others, as many as may hold the rest of a secret."""
    rows: list[RowContent] = []
    for block in blocks:
        rows = [*block.own_contents, *rows] if reverse else [*rows, *block.own_contents]
        if len(rows) >= _CONTEXT:
            break
    return rows[-_CONTEXT:] if reverse else rows[:_CONTEXT]
