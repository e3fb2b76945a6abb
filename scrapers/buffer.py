"""One screen buffer's tape, and what is read off it by the rules of a pack.

Takes rows through its `tape`; gives blocks, read again only from the first row that changed.
Cost: O(rows changed x line rules).
"""

from .blocks import Block, BlockParser, starts
from .packs import Chrome
from .rows import Row
from .transcript_buffer import Tape


class Buffer:
    """One screen buffer's tape and what was read off it."""

    def __init__(self, chrome: Chrome) -> None:
        self.tape = Tape(self._is_fold, self._is_prompt)
        self.blocks: list[Block] = []
        self.lines: tuple[str, ...] = ()
        self.view: list[Row] = []
        self.columns = 0
        self._chrome = chrome
        self._folds = [line.first for line in chrome.lines if line.rule.absorbs]
        self._prompts = [line.first for line in chrome.lines if line.rule.kind == "user"]

    def _is_fold(self, row: Row) -> bool:
        """Whether the first rule that takes the row is a fold's."""
        if not any(fold.match(row.text) is not None for fold in self._folds):
            return False
        rule = starts(self._chrome, row)
        return rule is not None and rule.rule.absorbs

    def _is_prompt(self, row: Row) -> bool:
        """Whether the first rule that takes the row is a prompt's."""
        if not any(prompt.match(row.text) is not None for prompt in self._prompts):
            return False
        rule = starts(self._chrome, row)
        return rule is not None and rule.rule.kind == "user"

    def has_prompt(self) -> bool:
        """Whether a prompt was seen: before the first one there is nothing to keep."""
        return any(block.kind == "user" for block in self.parse())

    def parse(self) -> list[Block]:
        """The blocks of the tape, read again from the first row that changed."""
        tape, blocks = self.tape, self.blocks
        if tape.changed < len(tape.rows):
            while blocks and blocks[-1].start >= tape.changed:
                blocks.pop()
            start = blocks[-1].start if blocks else 0
            if start < 0:  # a block so long that its start was dropped: only add to it
                start = tape.changed
            while blocks and blocks[-1].start == start:
                blocks.pop()
            BlockParser(self._chrome, blocks).feed(tape.rows[start:], start)
            tape.changed = len(tape.rows)
        return blocks
