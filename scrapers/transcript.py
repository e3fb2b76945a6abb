"""Turns of a whole session, followed frame by frame from its screen.

Takes snapshots, what changed since the last one, and the time; gives `Turn`s (vector `screen`)
and the gaps: places where rows went by unseen. Feed it composed frames only. Rows are laid on a
tape at once (`tape.py`); blocks and turns are read off it when asked for, and only from the
first row that changed. Cost of a frame: see `tape.py`; of `turns`: O(rows changed + turns).
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

from dejavu.model import Part, Reasoning, Role, Text, ToolCall, ToolCallResponse, Turn, Vector
from dejavu.screen import Cleared, Event, Line, Snapshot

from .blocks import Block
from .buffer import Buffer
from .dialog_commands import Asked
from .packs import Packs, default_packs
from .reading import Signals, verdict
from .rows import Row
from .segment import Layout, segment
from .state import State
from .unwrap import reflow, verbatim

# Rows a buffer holds at most, and how many it drops then; what they said stays.
_HELD, _DROPPED = 60_000, 10_000
# Seconds the transcript waits for a toast over it to go away.
_COVERED = 20.0

_ROLES = {
    "user": Role.USER,
    "text": Role.ASSISTANT,
    "reasoning": Role.ASSISTANT,
    "tool_call": Role.ASSISTANT,
    "fold": Role.ASSISTANT,
    "response": Role.TOOL,
    "error": Role.SYSTEM,
}


@dataclass(frozen=True, slots=True)
class Gap:
    """At `at` something went by unseen; `reason` says what is known of it."""

    at: float
    reason: str


class Changed(Protocol):
    """What we use of the screen's `Changes`: rows touched, lines scrolled off, events."""

    @property
    def rows(self) -> tuple[int, ...]:
        """Indices of the rows that differ from before."""
        ...

    @property
    def scrolled(self) -> tuple[Line, ...]:
        """Lines lost to history, oldest first."""
        ...

    @property
    def events(self) -> tuple[Event, ...]:
        """What the program said besides drawing."""
        ...


def keep_scrolled(lines: list[Line], changes: Changed) -> None:
    """Add the lines that scrolled off to those before.

    A program that wipes the history (ED 3) draws it anew: what it wiped goes.
    """
    wiped = [event.wiped for event in changes.events if isinstance(event, Cleared)]
    counts = [count for count in wiped if count is not None]
    if counts:
        lines.clear()
    lines += changes.scrolled[counts[-1] :] if counts else changes.scrolled


class Transcript:
    """Follows one session. `agent` may be an alias; the time is whatever clock the caller keeps."""

    def __init__(self, agent: str, *, packs: Packs | None = None) -> None:
        self._chrome = (packs or default_packs())[agent]
        self._buffers = {False: Buffer(self._chrome), True: Buffer(self._chrome)}
        self._gaps: list[Gap] = []
        self._last: tuple[Snapshot, Layout] | None = None
        self._scrolled: list[Line] = []
        self._cleared = False
        self._covered: float | None = None
        self._asked = Asked(self._chrome)

    def feed(
        self, snapshot: Snapshot, changes: Changed, at: float, layout: Layout | None = None
    ) -> None:
        """One composed frame. `layout` is its segmentation, if the caller has it already."""
        layout = layout or segment(self._chrome, snapshot)
        self._last = snapshot, layout
        self._cleared |= any(isinstance(event, Cleared) for event in changes.events)
        if not snapshot.alternate:
            keep_scrolled(self._scrolled, changes)
        self._asked.note(layout)
        if self._is_covered(layout, at) or not layout.lines:
            return  # Wiped or covered: what was there may come back.
        buffer = self._buffers[snapshot.alternate]
        scrolled = [] if snapshot.alternate else self._scrolled
        columns = _columns(layout, snapshot.columns)
        rewrapped = buffer.columns not in (0, columns)
        if layout.lines == buffer.lines and not scrolled and not rewrapped:
            return
        above = [self._history_row(line, columns, at) for line in scrolled]
        shown = self._view(buffer, snapshot, layout, changes, at, columns)
        self._lay(buffer, [*above, *shown], len(above), at, rewrapped=rewrapped)
        if buffer.tape.wiped is not None:
            return  # Half a redraw, or the start of another page: seen again with the next frame.
        if len(buffer.tape.rows) > _HELD:
            self._drop(buffer)
        buffer.lines, buffer.view, buffer.columns = layout.lines, shown, columns
        self._scrolled.clear()
        self._cleared = False

    def _is_covered(self, layout: Layout, at: float) -> bool:
        """Whether a viewer or (for some seconds) a toast stands over the transcript."""
        overlays = [region for region in layout.regions if region.name == "overlay"]
        if not overlays:
            self._covered = None
            return False
        self._covered = at if self._covered is None else self._covered
        return any(one.left == 0 for one in overlays) or at - self._covered < _COVERED

    def _lay(
        self, buffer: Buffer, view: list[Row], scrolled: int, at: float, *, rewrapped: bool
    ) -> None:
        """Lay a view on the buffer's tape, behind a gap if it has to be."""
        tape = buffer.tape
        if tape.lay(view, scrolled, rewrapped=rewrapped, cleared=self._cleared, at=at):
            return
        if buffer.has_prompt():
            self._gaps.append(Gap(at, "the screen jumped: rows between went by unseen"))
            view, scrolled = [Row("", False, view[0].width, at=at), *view], scrolled + 1
        else:
            tape.clear()
        tape.append(view, scrolled)

    def _drop(self, buffer: Buffer) -> None:
        """Let go of the oldest rows, after what they say was read."""
        for block in buffer.parse():
            if not block.made:
                block.part, block.made = self._part(block), True
            block.start -= _DROPPED
            if block.start < 0:
                del block.pieces[1:]
        buffer.tape.forget(_DROPPED)

    def finish(self) -> None:
        """The session ended: nothing is provisional any more."""
        self._last = None

    def lost(self, at: float, reason: str) -> None:
        """Mark that the capture itself missed something here."""
        self._gaps.append(Gap(at, reason))

    @property
    def gaps(self) -> tuple[Gap, ...]:
        """Where something went by unseen."""
        return tuple(self._gaps)

    @property
    def turns(self) -> tuple[Turn, ...]:
        """The turns so far. The last is `meta["provisional"]` while its end was not seen."""
        read = [list(self._assemble(buffer.parse())) for buffer in self._buffers.values()]
        turns = max(reversed(read), key=len)
        if turns and turns[-1].role is not Role.USER and self._is_running():
            turns[-1] = _with_meta(turns[-1], provisional=True)
        return tuple(turns)

    def _is_running(self) -> bool:
        if self._last is None:
            return False
        snapshot, layout = self._last
        state = verdict(self._chrome, snapshot, layout, Signals()).state
        return state in (State.WORKING, State.BLOCKED, State.UNKNOWN)

    def _history_row(self, line: Line, columns: int, at: float) -> Row:
        runs = line.runs() if self._chrome.styled else ()
        return Row(str(line).rstrip(), line.wrapped, columns, tuple(runs), at)

    def _view(
        self,
        buffer: Buffer,
        snapshot: Snapshot,
        layout: Layout,
        changes: Changed,
        at: float,
        columns: int,
    ) -> list[Row]:
        """The transcript's rows; those that did not change are the very rows of the last view."""
        top = layout.transcript.top
        touched = set(changes.rows)
        same = buffer.columns == columns
        view: list[Row] = []
        for offset, text in enumerate(layout.lines):
            index = top + offset
            if same and index not in touched and offset < len(buffer.view):
                before = buffer.view[offset]
                if before.text == text:
                    view.append(before)
                    continue
            runs = snapshot.styles[index] if self._chrome.styled else ()
            view.append(Row(text, snapshot.wrapped[index], columns, tuple(runs), at))
        return view

    def _assemble(self, blocks: list[Block]) -> Iterator[Turn]:
        """Blocks to turns: from the first prompt on, one turn for what one role says in a row."""
        role: Role | None = None
        parts: list[Part] = []
        at = 0.0
        seq = 0
        for block in blocks:
            speaker = _ROLES.get(block.kind)
            if speaker is None or (role is None and speaker is not Role.USER):
                continue
            if not block.made:
                block.part, block.made = self._part(block), True
            part = block.part
            if part is None:
                continue
            if role is not None and (speaker is not role or speaker is Role.USER):
                yield _turn(seq, role, parts, at)
                seq += 1
                parts = []
            if not parts:
                role, at = speaker, block.at
            parts.append(part)
        if role is not None and parts:
            yield _turn(seq, role, parts, at)

    def _part(self, block: Block) -> Part | None:
        """What a block says, as a part of a turn; None if it says nothing."""
        pack = self._chrome.pack
        rule = block.rule.rule if block.rule is not None else None
        if rule is not None and rule.verbatim:
            text = verbatim(block.pieces)
        else:
            text = reflow(
                block.pieces,
                pack.margin,
                markdown=block.kind in ("text", "reasoning"),
                numbered_code=pack.numbered_code,
                padded_code=pack.padded_code,
            )
        match block.kind:
            case "tool_call" | "fold":
                name = block.groups.get("name") or (rule.tool if rule is not None else None)
                if name is None:
                    name, text = block.pieces[0].row.text.strip(), ""
                key = rule.arguments.get(name, rule.argument) if rule is not None else "input"
                return ToolCall(None, name, {key: self._asked.whole(text)} if text else None)
            case "response":
                return ToolCallResponse(None, text)
            case "reasoning":
                return Reasoning(text) if text else None
            case _:
                return Text(text) if text else None


def _columns(layout: Layout, columns: int) -> int:
    """The columns the agent wraps its words in: up to the side bar, if there is one."""
    bars = (region.left for region in layout.regions if region.name == "sidebar")
    return min(bars, default=columns)


def _turn(seq: int, role: Role, parts: list[Part], at: float) -> Turn:
    return Turn(seq=seq, role=role, parts=tuple(parts), at=at, vector=Vector.SCREEN)


def _with_meta(turn: Turn, **meta: bool) -> Turn:
    return Turn(
        seq=turn.seq,
        role=turn.role,
        parts=turn.parts,
        at=turn.at,
        vector=turn.vector,
        meta={**meta},
    )
