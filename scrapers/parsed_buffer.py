"""The transcript of one screen buffer (main or alternate), parsed into blocks by a pack's rules.

`parse` reads again only from the first row that changed. Cost: O(rows changed x line rules). Of
rows that were dropped only their blocks' parts are held, until they are given up as turns.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace

from dejavu.model import Turn

from .alignment import is_same_row, pinned_rows, words_of
from .blocks import Block, BlockParser
from .learned_marks import learned_answer, learned_prompt
from .packs import GENERIC, CompiledLine, CompiledPack
from .rows import Row
from .sent_prompts import PromptPlaces, SentPrompts
from .transcript_buffer import TranscriptBuffer
from .turn_assembly import assemble

# Rows above a change among which the start of its message is looked for.
_MESSAGE_ROWS = 2000
# Headers that are remembered: the titles of conversations, and what was pinned of their prompts.
_MAX_HEADERS = 8


class ParsedBuffer:
    """Rows of one screen buffer, the blocks parsed from them, and the last view merged into them."""

    def __init__(self, pack: CompiledPack, sent: SentPrompts | None = None) -> None:
        self.transcript = TranscriptBuffer(self._is_fold, self.is_prompt)
        self.blocks: list[Block] = []
        self.lines: tuple[str, ...] = ()
        self.view: list[Row] = []
        self.marks: tuple[str, ...] = ()
        self.columns = 0
        self.released = 0
        """Turns given up so far."""
        self.held: tuple[Turn, ...] = ()
        """Of these, the ones not handed out, because the other buffer is the session's."""
        self.lost = False
        """Whether some of its turns are nowhere any more: it cannot be the session's then."""
        self.is_guessed = pack.spec.agent == GENERIC
        """Whether no rules know the agent."""
        self._sent = sent
        self._spent_until = float("-inf")  # texts sent until then are of turns that were given up
        self._pinned = 0
        self._headers: dict[str, int] = {}
        self._marked = False
        self._pack = pack
        self._is_learning = pack.spec.default_kind != "text"
        self._folds = [line.first for line in pack.lines if line.rule.absorbs]
        self._prompts = [line.first for line in pack.lines if line.rule.kind == "user"]

    def learn(self, line: CompiledLine) -> None:
        """Read everything again by one more rule."""
        self._pack = self._pack.with_line(line)
        self._prompts += [line.first] if line.rule.kind == "user" else []
        if all(block.start >= 0 for block in self.blocks):  # else some of it has been dropped
            self.blocks.clear()
            self.transcript.changed = 0

    def learn_prompt(self, sent: str) -> CompiledLine | None:
        """Return a rule for prompts that the last view teaches, if there is one."""
        return learned_prompt(self._pack, self.view, sent)

    def _is_fold(self, row: Row) -> bool:
        """Whether the first rule that matches the row is a fold's."""
        if not any(fold.fits(row.text) for fold in self._folds):
            return False
        rule = self._pack.starting_rule(row)
        return rule is not None and rule.rule.absorbs

    def is_prompt(self, row: Row) -> bool:
        """Whether the first rule that matches the row is a prompt's."""
        if not any(prompt.fits(row.text) for prompt in self._prompts):
            return False
        rule = self._pack.starting_rule(row)
        return rule is not None and rule.rule.kind == "user"

    def without_pinned(self, view: list[Row], *, rewrapped: bool = False) -> list[Row]:
        """Return a view without the rows pinned at its top; forget those if nothing is above them.

        A prompt stays: agents pin the one that scrolls off, which may be the first row of all. Rows
        that were pinned once are known again behind a dialog, or at another width (`rewrapped`).
        """
        pinned = 0 if rewrapped else pinned_rows(self.view, view, self._pinned)
        if pinned:
            self._headers[words_of(view[:pinned])] = pinned
        else:
            known = (n for words, n in self._headers.items() if words == words_of(view[:n]))
            pinned = max(known, default=0)
        if pinned > self._pinned and self.transcript.top == 0:
            rows = self.transcript.rows[:pinned]
            if all(map(is_same_row, rows, view[:pinned])):
                self.transcript.remove_top([row for row in rows if self.is_prompt(row)], pinned)
        while len(self._headers) > _MAX_HEADERS:
            del self._headers[next(iter(self._headers))]
        self._pinned = pinned
        return view[pinned:]

    def take_marks(self, view: Sequence[Row]) -> None:
        """Set the marks of messages on the rows as this view shows them.

        A row that is buffered already stays, but the end of a message that grows moves on.
        """
        self._marked |= any(row.mark for row in view)
        rows = self.transcript.rows
        if not self._marked:
            return
        index = len(rows)
        for row in reversed(view):
            index -= 1
            if index < 0 or rows[index].text != row.text:
                return
            if rows[index].mark != row.mark:
                rows[index].mark = row.mark
                self.transcript.changed = min(self.transcript.changed, index)

    def has_prompt(self) -> bool:
        """Whether a prompt was seen; before the first there is no turn to keep."""
        return self.released > 0 or any(block.kind == "user" for block in self.parse())

    def drop_oldest(self, count: int, read: Callable[[list[Block]], object]) -> None:
        """Drop the first `count` rows; of the blocks that begin in them their parts stay.

        `read` caches the parts of blocks.
        """
        blocks = self.parse()
        divided = bool(blocks) and blocks[-1].start < count
        if divided:
            self._divide(blocks, count)
        if not self.released:  # what comes before the first prompt is no turn
            later = (
                n for n, block in enumerate(blocks) if block.kind == "user" or block.start >= count
            )
            del blocks[: min(next(later, len(blocks)), len(blocks) - 1)]
        read(
            blocks[:-1] if divided else blocks
        )  # a part of what continues would be read for nothing
        for block in blocks:
            if block.start < count and not (block.continued and block is blocks[-1]):
                del block.contents[1:]
            block.start -= count
        self.transcript.drop_oldest(count)

    def _divide(self, blocks: list[Block], count: int) -> None:
        """Make two blocks of the last one, which continues behind the rows to be dropped."""
        last = blocks[-1]
        rows = {id(row) for row in self.transcript.rows[count:]}
        inside = (n for n, content in enumerate(last.contents) if n and id(content.row) in rows)
        cut = next(inside, len(last.contents))
        if cut == 1 and last.continued:
            last.start = count - 1
            return
        last.contents[cut - 1].row.cut_below = True
        for content in last.contents[cut : cut + 1]:
            content.row.cut_above = True
        rest = [last.contents[0], *last.contents[cut:]]
        blocks[-1] = replace(last, contents=last.contents[:cut], part=None, part_ready=False)
        blocks.append(replace(
            last, start=count - 1, contents=rest, continued=True, part=None, part_ready=False
        ))  # fmt: skip

    def _dropped(self) -> int:
        """How many blocks, from the first on, cannot change any more: their rows are dropped."""
        count = next((n for n, block in enumerate(self.blocks) if block.start >= 0), None)
        return max(0, len(self.blocks) - 1) if count is None else count

    def turns(self) -> list[Turn]:
        """Return the turns behind those given up; all blocks have been read. O(blocks)."""
        return [
            turn for turn, _ in assemble(self.blocks, first=self.released, guessed=self.is_guessed)
        ]

    def release(self) -> tuple[Turn, ...]:
        """Give up the turns that cannot change any more; O(blocks).

        A turn that has not ended is given up in pieces, once rows of it alone were dropped.
        """
        blocks, dropped = self.blocks, self._dropped()
        turns: list[Turn] = []
        end = 0
        for turn, end_of_turn in assemble(
            blocks[:dropped], first=self.released, guessed=self.is_guessed
        ):
            if end_of_turn == dropped and turns:
                break  # more of it may follow
            turns.append(turn)
            end = end_of_turn
        self.released += len(turns)
        spent = (block.sent.at for block in blocks[:end] if block.sent is not None)
        self._spent_until = max(spent, default=self._spent_until)
        del blocks[:end]
        return tuple(turns)

    def parse(self) -> list[Block]:
        """Return the blocks, parsed again from the first row that changed."""
        transcript, blocks = self.transcript, self.blocks
        if transcript.changed < len(transcript.rows):
            while blocks and blocks[-1].start >= transcript.changed:
                blocks.pop()
            start = blocks[-1].start if blocks else 0
            if start < 0 and blocks[-1].continued:
                start = 0
                del blocks[-1].contents[1:]
                blocks[-1].part_ready = False
            elif start < 0:  # only its first rows were dropped: only add to it
                start = transcript.changed
            else:
                start = self._message_start(start)
            while blocks and blocks[-1].start >= start:
                blocks.pop()
            places = self._places()
            BlockParser(self._pack, blocks, prompts=places).feed(transcript.rows[start:], start)
            transcript.changed = len(transcript.rows)
            answer = learned_answer(self._pack, blocks) if self._is_learning else None
            if answer is not None:
                self._is_learning = False
                self.learn(answer)
                return self.parse()
        return blocks

    def _places(self) -> PromptPlaces | None:
        """Return where the prompts are that were typed and are in no block yet."""
        if self._sent is None or not self._sent:
            return None
        taken = {id(block.sent) for block in self.blocks if block.sent is not None}
        taken |= self._sent.until(self._spent_until)
        return PromptPlaces(
            self._sent, self.transcript.rows, taken, self.is_prompt, guessed=self.is_guessed
        )

    def _message_start(self, index: int) -> int:
        """Return the first row of the marked message that a row is in, else the row itself."""
        rows = self.transcript.rows
        if not self._marked or not 0 <= index < len(rows) or rows[index].opens:
            return index
        for above in range(index - 1, max(-1, index - _MESSAGE_ROWS), -1):
            if rows[above].opens and not rows[above].ends:
                return above
            if rows[above].mark:
                break
        return index
