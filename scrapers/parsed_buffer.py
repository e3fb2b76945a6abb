"""The transcript of one screen buffer (main or alternate), parsed into blocks by a pack's rules.

`parse` reads again only from the first row that changed. Cost: O(rows changed x line rules).
"""

from .blocks import Block, BlockParser, starting_rule
from .packs import CompiledPack
from .pinned_rows import pinned_rows
from .rows import Row
from .transcript_buffer import TranscriptBuffer


class ParsedBuffer:
    """Rows of one screen buffer, the blocks parsed from them, and the last view merged into them."""

    def __init__(self, pack: CompiledPack) -> None:
        self.transcript = TranscriptBuffer(self._is_fold, self._is_prompt)
        self.blocks: list[Block] = []
        self.lines: tuple[str, ...] = ()
        self.view: list[Row] = []
        self.columns = 0
        self._pinned = 0
        self._pack = pack
        self._folds = [line.first for line in pack.lines if line.rule.absorbs]
        self._prompts = [line.first for line in pack.lines if line.rule.kind == "user"]

    def _is_fold(self, row: Row) -> bool:
        """Whether the first rule that matches the row is a fold's."""
        if not any(fold.match(row.text) is not None for fold in self._folds):
            return False
        rule = starting_rule(self._pack, row)
        return rule is not None and rule.rule.absorbs

    def _is_prompt(self, row: Row) -> bool:
        """Whether the first rule that matches the row is a prompt's."""
        if not any(prompt.match(row.text) is not None for prompt in self._prompts):
            return False
        rule = starting_rule(self._pack, row)
        return rule is not None and rule.rule.kind == "user"

    def without_pinned(self, view: list[Row]) -> list[Row]:
        """Return a view without the rows pinned at its top; forget those if nothing is above them.

        A prompt stays: agents pin the one that scrolls off, which may be the first row of all.
        """
        pinned = pinned_rows(self.view, view, self._pinned)
        if pinned > self._pinned and self.transcript.top == 0:
            rows = self.transcript.rows[:pinned]
            if [row.text for row in rows] == [row.text for row in view[:pinned]]:
                self.transcript.remove_top([row for row in rows if self._is_prompt(row)], pinned)
        self._pinned = pinned
        return view[pinned:]

    def has_prompt(self) -> bool:
        """Whether a prompt was seen; before the first there is no turn to keep."""
        return any(block.kind == "user" for block in self.parse())

    def parse(self) -> list[Block]:
        """Return the blocks, parsed again from the first row that changed."""
        transcript, blocks = self.transcript, self.blocks
        if transcript.changed < len(transcript.rows):
            while blocks and blocks[-1].start >= transcript.changed:
                blocks.pop()
            start = blocks[-1].start if blocks else 0
            if start < 0:  # a block so long that its start was dropped: only add to it
                start = transcript.changed
            while blocks and blocks[-1].start == start:
                blocks.pop()
            BlockParser(self._pack, blocks).feed(transcript.rows[start:], start)
            transcript.changed = len(transcript.rows)
        return blocks
