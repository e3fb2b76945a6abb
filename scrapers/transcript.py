"""Turns of a whole session, followed frame by frame from its screen.

`Transcript.feed` takes composed frames (snapshot, changes since the last one, time); `turns` are of
vector `screen`, `gaps` the places where rows went by unseen. Rows are merged into a
`TranscriptBuffer` at once; blocks and turns are parsed when asked for, from the first row that
changed. Cost of a frame: see `transcript_buffer.py`; of `turns`: O(rows changed + turns).
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from dejavu.model import Role, Turn
from dejavu.screen import Cleared, Line, Snapshot

from .learned_marks import SentText
from .packs import GENERIC, Packs, default_packs
from .panes import Cover
from .parsed_buffer import ParsedBuffer
from .reading import Signals, classify
from .rows import Row, link_rows, mark_cut, width
from .sampling import Changed, append_scrolled
from .secret_rows import BlockMask
from .segment import Layout, segment
from .sent_prompts import SentPrompts
from .state import State
from .transcript_buffer import TranscriptBuffer
from .turn_assembly import BlockReader
from .work_cues import ROWS_ABOVE

# Rows a buffer holds at most, and how many it drops then; their turns stay. What is left is more
# than any alignment looks at (`transcript_buffer`): dropped rows could not change any more.
_MAX_ROWS, _DROP_ROWS = 10_000, 3_000
# Turns of the screen buffer that is not the session's, held in case it becomes that.
_MAX_HELD = 1000
# Seconds within which rows that go by without a prompt are the same gap.
_SAME = 30.0


@dataclass(frozen=True, slots=True)
class Gap:
    """At `at` (seconds, the caller's clock) something went by unseen, for `reason`."""

    at: float
    reason: str


class Transcript:
    """Follows one session. `agent` may be an alias; times are of the caller's clock."""

    def __init__(
        self, agent: str, *, packs: Packs | None = None, mask: BlockMask | None = None
    ) -> None:
        self._pack = (packs or default_packs())[agent]
        self._prompts = SentPrompts()
        self._buffers = {
            alternate: ParsedBuffer(self._pack, self._prompts) for alternate in (False, True)
        }
        self._gaps: list[Gap] = []
        self._last: tuple[Snapshot, Layout] | None = None
        self._last_at = 0.0
        self.cover = Cover()
        self._scrolled: list[Line] = []
        self._cleared = False
        self._blocks = BlockReader(self._pack, mask)
        self._sent = SentText()
        self._lost = False
        self.has_settled = False
        """Whether rows were dropped since turns were last released."""

    def feed(
        self, snapshot: Snapshot, changes: Changed, at: float, layout: Layout | None = None
    ) -> None:
        """Merge one composed frame. `layout` is its segmentation, if the caller has it already."""
        layout = layout or segment(self._pack, snapshot)
        self._last, self._last_at = (snapshot, layout), at
        self._cleared |= any(isinstance(event, Cleared) for event in changes.events)
        if not snapshot.alternate:
            append_scrolled(self._scrolled, changes)
            if (excess := len(self._scrolled) - _MAX_ROWS) > 0:
                del self._scrolled[:excess]
                self.mark_gap(at, f"{excess} rows went by under an overlay")
        self._blocks.observe(layout)
        self._sent.observe(layout)
        if self.cover.hides(snapshot, layout, at):
            return  # Torn, erased or covered: the rows may come back.
        buffer = self._buffers[snapshot.alternate]
        scrolled = [] if snapshot.alternate else self._scrolled
        columns = _columns(layout, snapshot.columns)
        rewrapped = buffer.columns not in (0, columns)
        marks = snapshot.marks
        unchanged = layout.lines == buffer.lines and marks == buffer.marks
        if unchanged and not scrolled and not rewrapped:
            return
        above = [self._history_row(line, columns, at) for line in scrolled]
        shown = self._view(buffer, snapshot, layout, changes, at, columns)
        content = shown
        if snapshot.alternate:
            content = buffer.without_pinned(shown, rewrapped=rewrapped)
        link_rows([*above, *content])
        if snapshot.alternate and not buffer.transcript.rows:
            mark_cut((), content)  # a full screen may show the end of something
        self._merge(buffer, [*above, *content], len(above), at, rewrapped=rewrapped)
        buffer.take_marks(content)
        if buffer.transcript.missing_since is not None:
            return  # Half a redraw, or the start of another page: the next frame shows which.
        while len(buffer.transcript.rows) > _MAX_ROWS:
            buffer.drop_oldest(_DROP_ROWS, self._blocks.read)
            self.has_settled = True
        buffer.lines, buffer.view, buffer.columns = layout.lines, shown, columns
        buffer.marks = marks
        self._learn_prompt(buffer)
        self._scrolled.clear()
        self._cleared = self._lost = False

    def give(self, text: str, at: float) -> None:
        """Take a text that the agent was started with, which may be its first prompt."""
        self._prompts.give(text, at)

    def keys(self, data: bytes, at: float) -> None:
        """Take what was typed: a prompt that it sent, and that is seen, has its text from there.

        No data: some of it went by unseen.
        """
        if not data:
            self._prompts.lose()
        if not data or not self._prompts.feed(data, at):
            return
        self._sent.sent = self._prompts.last or self._sent.sent
        for buffer in self._buffers.values():
            rows = buffer.transcript
            start = rows.top if self._prompts.last else 0  # it may be there already
            rows.changed = min(rows.changed, start)

    def _learn_prompt(self, buffer: ParsedBuffer) -> None:
        """Learn the mark of prompts from what was typed and sent, once it is in the view."""
        learned = buffer.learn_prompt(self._sent.sent) if self._sent.sent else None
        if learned is not None:
            for each in self._buffers.values():
                each.learn(learned)

    def _merge(
        self, buffer: ParsedBuffer, view: list[Row], scrolled: int, at: float, *, rewrapped: bool
    ) -> None:
        """Merge a view into the buffer, behind a gap if it shares no rows with it."""
        transcript = buffer.transcript
        if transcript.merge_view(view, scrolled, rewrapped=rewrapped, cleared=self._cleared, at=at):
            self._note_kept(buffer, at)
            return
        if buffer.has_prompt():
            self._gaps.append(Gap(at, "the screen jumped: rows between went by unseen"))
            mark_cut(transcript.rows, view)
            view, scrolled = [Row("", False, view[0].width, at=at), *view], scrolled + 1
        else:
            self._note_unprompted(view, buffer, at)
            transcript.clear()
            if buffer is self._buffers[True]:
                mark_cut((), view)
        transcript.append(view, scrolled)

    def _note_kept(self, buffer: ParsedBuffer, at: float) -> None:
        """Record a gap where rows of a conversation stay because nothing proves that they left."""
        kept, buffer.transcript.kept = buffer.transcript.kept, 0
        if kept and buffer.has_prompt():
            self._gaps.append(Gap(at, f"{kept} rows were drawn over: they are kept"))

    def _note_unprompted(self, view: list[Row], buffer: ParsedBuffer, at: float) -> None:
        """Record a gap where rows went by while the agent may have worked, and no prompt was seen."""
        if self._gaps and at - self._gaps[-1].at < _SAME:
            return
        works = self._state() is State.WORKING or (buffer.is_guessed and bool(self._prompts.last))
        if works and not any(map(buffer.is_prompt, view)):
            self._gaps.append(Gap(at, "rows went by above which no prompt was recognised"))

    @property
    def is_asked(self) -> bool:
        """Whether anybody has asked for something: a prompt is seen, or a text was sent."""
        return bool(self._prompts.last) or any(b.has_prompt() for b in self._buffers.values())

    @property
    def rows_above(self) -> Sequence[Row] | None:
        """The last rows above the view, oldest first; None if the view is not at the end."""
        if self._last is None:
            return ()
        snapshot, layout = self._last
        transcript = self._buffers[snapshot.alternate].transcript
        last = next((row.text for row in reversed(transcript.rows) if row.text), "")
        shown = next((row for row in reversed(layout.lines) if row), "")
        if last != shown:
            return None
        return transcript.rows[max(0, transcript.top - ROWS_ABOVE) : transcript.top]

    @property
    def buffered(self) -> tuple[TranscriptBuffer, ...]:
        """What was read so far on the main and the alternate screen, for an audit (see row_proofs)."""
        return tuple(buffer.transcript for buffer in self._buffers.values())

    def finish(self) -> None:
        """End the session: nothing is provisional any more.

        What it was writing when it ended may be the beginning of something.
        """
        cut = self._is_running()
        guessed = self._pack.spec.agent == GENERIC
        if (
            guessed
            and self._last is not None
            and not any(b.has_prompt() for b in self._buffers.values())
        ):
            self._gaps.append(Gap(self._last_at, "no prompt was recognised: nothing was read"))
        for buffer in self._buffers.values():
            if cut:
                mark_cut(buffer.transcript.rows, ())
            for block in buffer.parse()[-1:]:
                block.part_ready = False
        self._last = None

    def mark_gap(self, at: float, reason: str) -> None:
        """Record a gap: the capture itself missed something here. One reason soon again is one gap."""
        last = self._gaps[-1] if self._gaps else None
        if last is None or last.reason != reason or at - last.at >= _SAME:
            self._gaps.append(Gap(at, reason))
        self._lost = True

    @property
    def gaps(self) -> tuple[Gap, ...]:
        """The gaps so far."""
        return tuple(self._gaps)

    @property
    def turns(self) -> tuple[Turn, ...]:
        """The turns so far. The last is `meta["provisional"]` while its end was not seen."""
        running = self._is_running()
        buffer = self._main_buffer()
        turns = [*buffer.held, *buffer.turns()]
        if turns and turns[-1].role is not Role.USER and running:
            turns[-1] = _with_meta(turns[-1], provisional=True)
        return tuple(turns)

    def release(self) -> tuple[Turn, ...]:
        """Give up the turns that cannot change any more, and the gaps so far; return the turns.

        Their `seq` continues from call to call, and that of `turns` behind them. It begins at 0 again
        in the rare case that the other screen buffer has more turns by now: then those are the
        session's. Of the buffer with fewer `_MAX_HELD` turns are held for that case. O(blocks).
        """
        self._gaps.clear()
        self.has_settled = False
        main = _longer(self._buffers.values())
        if not main.released and any(buffer.released for buffer in self._buffers.values()):
            main = self._main_buffer()  # is that so?
        turns = (*main.held, *main.release())
        main.held = ()
        for buffer in self._buffers.values():
            if buffer is not main:
                buffer.lost |= buffer.released > len(buffer.held)  # it was the session's before
                buffer.held = (*buffer.held, *buffer.release())
                if buffer.lost or len(buffer.held) > _MAX_HELD:
                    buffer.lost, buffer.held = True, ()
        return turns

    def _main_buffer(self) -> ParsedBuffer:
        """Return the screen buffer that has more turns; the blocks of both are read."""
        for buffer in self._buffers.values():
            self._blocks.read(buffer.parse(), open_end=self._last is not None)
        return _longer(self._buffers.values())

    def _is_running(self) -> bool:
        return self._state() in (State.WORKING, State.BLOCKED, State.UNKNOWN)

    def _state(self) -> State | None:
        """Return the state of the last screen alone; None if there is none."""
        if self._last is None:
            return None
        snapshot, layout = self._last
        return classify(self._pack, snapshot, layout, Signals()).state

    def _history_row(self, line: Line, columns: int, at: float) -> Row:
        runs = line.runs() if self._pack.styled else ()
        text = str(line).rstrip()
        row = Row(text, line.wrapped, columns, tuple(runs), at, suspect=self._lost)
        row.mark = line.marks
        return row

    def _view(
        self,
        buffer: ParsedBuffer,
        snapshot: Snapshot,
        layout: Layout,
        changes: Changed,
        at: float,
        columns: int,
    ) -> list[Row]:
        """Return the transcript's rows; those unchanged since the last view are the same objects."""
        top = layout.transcript.top
        touched = set(changes.rows)
        same, marks = buffer.columns == columns, snapshot.marks
        narrower = snapshot.alternate and columns < buffer.columns
        view: list[Row] = []
        for offset, text in enumerate(layout.lines):
            index = top + offset
            if same and index not in touched and offset < len(buffer.view):
                before = buffer.view[offset]
                if before.text == text:
                    view.append(before)
                    continue
            runs = snapshot.row_styles(index) if self._pack.styled else ()
            wrapped = snapshot.wrapped[index]
            # What a full screen shows before it is redrawn for fewer columns is cut at the edge.
            cropped = narrower and width(text) + 1 >= columns
            suspect = self._lost or cropped
            row = Row(text, wrapped, columns, tuple(runs), at, suspect=suspect)
            row.mark = marks[index]
            view.append(row)
        return view


def _longer(buffers: Iterable[ParsedBuffer]) -> ParsedBuffer:
    """Return the screen buffer that has more turns, by the blocks read so far."""
    main, alternate = buffers
    if main.lost or alternate.lost:
        return alternate if main.lost else main
    return max(alternate, main, key=lambda buffer: buffer.released + len(buffer.turns()))


def _columns(layout: Layout, columns: int) -> int:
    """Return the columns the agent wraps its words in: up to the side bar, if there is one."""
    bars = (region.left for region in layout.regions if region.name == "sidebar")
    return min(bars, default=columns)


def _with_meta(turn: Turn, **meta: bool) -> Turn:
    return Turn(
        seq=turn.seq,
        role=turn.role,
        parts=turn.parts,
        at=turn.at,
        vector=turn.vector,
        meta={**turn.meta, **meta},
    )
