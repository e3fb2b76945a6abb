"""The transcript of one screen buffer (main or alternate), parsed into blocks by a pack's rules.

`parse` reads again only from the first row that changed. Cost: O(rows changed x line rules).
"""

from .blocks import Block, BlockParser, starting_rule
from .packs import CompiledPack
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
