"""One session joined: terminal, status and transcript, with pacing. The same live and offline.

Takes an agent's output (bytes and times), resizes, gaps and its exit; gives status changes, turns
and gaps. Sans-IO: the caller's clock comes in with every call, and `due` says when the next
`tick` is wanted. Frames are looked at when composed: shortly after the first output that follows
a quiet time, then at most every `PACE` seconds while output goes on (sooner when much of the
screen moved, lest rows scroll by unseen), and once more when it is quiet; never inside a
synchronized update. Cost: the terminal's, plus one look (a few milliseconds) per pace.
"""

from dataclasses import dataclass

from dejavu.model import Turn
from dejavu.screen import Cleared, Event, Line, Progress, PromptMark, Terminal

from .packs import Packs, default_packs
from .reading import Reading, Signals, verdict
from .segment import segment
from .state import State, StatusChange
from .status import StatusTracker
from .transcript import Changed, Gap, Transcript, keep_scrolled

# Seconds: a frame is taken as composed this long after its first byte ...
COMPOSED = 0.03
# ... the longest between two looks while output goes on ...
PACE = 0.06
# ... and the longest while large parts of the screen move.
PACE_MOVING = 0.03
# Output that has paused this long is complete.
QUIET = 0.12
# A synchronized update that never ends is looked at after this long all the same.
SYNC_LIMIT = 0.5
# CAN: aborts an escape sequence that a gap cut in two (ECMA-48 8.3.6).
_CAN = b"\x18"


@dataclass(frozen=True, slots=True)
class _Frame:
    """All that changed since the last look."""

    rows: tuple[int, ...]
    scrolled: tuple[Line, ...]
    events: tuple[Event, ...]


class SessionReader:
    """Reads one session. `agent` names the pack; "auto" or an unknown name gets the generic one."""

    def __init__(
        self,
        agent: str,
        columns: int,
        lines: int,
        *,
        history: int = 10_000,
        packs: Packs | None = None,
    ) -> None:
        packs = packs or default_packs()
        self.agent = agent
        self.terminal = Terminal(columns, lines, history=history, graphemes=True)
        self.reading: Reading | None = None
        self.due: float | None = None
        self._chrome = packs[agent]
        self._tracker = StatusTracker()
        self._transcript = Transcript(agent, packs=packs)
        self._signals = Signals()
        self._rows: set[int] = set()
        self._scrolled: list[Line] = []
        self._events: list[Event] = []
        self._looked = float("-inf")
        self._wrote: float | None = None
        self._first: float | None = None

    @property
    def state(self) -> State:
        """The status now."""
        return self._tracker.state

    @property
    def status(self) -> list[StatusChange]:
        """Every change of status so far."""
        return self._tracker.changes

    @property
    def turns(self) -> tuple[Turn, ...]:
        """The turns so far, vector `screen`."""
        return self._transcript.turns

    @property
    def gaps(self) -> tuple[Gap, ...]:
        """Where something went by unseen."""
        return self._transcript.gaps

    def output(self, data: bytes, at: float) -> tuple[StatusChange, ...]:
        """Bytes the agent wrote at `at`. Looks that came due before are made first."""
        before = self._overdue(at)
        self._note(self.terminal.feed(data), at)
        return before

    def resize(self, columns: int, lines: int, at: float) -> tuple[StatusChange, ...]:
        """The window changed."""
        before = self._overdue(at)
        self._note(self.terminal.resize(columns, lines), at)
        return before

    def gap(self, lost_bytes: int, at: float) -> tuple[StatusChange, ...]:
        """The capture lost output: mark it, and do not let half a sequence eat what follows."""
        before = self._overdue(at)
        self._transcript.lost(at, f"the capture lost {lost_bytes} bytes")
        self._note(self.terminal.feed(_CAN), at)
        return before

    def exit(self, status: int | None, at: float) -> tuple[StatusChange, ...]:
        """The agent ended: what is on the screen is final."""
        before = self._overdue(at)
        seen = self._look(at) if self._first is not None else ()
        self._transcript.finish()
        self.due = None
        return (*before, *seen, *self._tracker.exit(status, at))

    def signal(self, state: State, at: float, source: str) -> tuple[StatusChange, ...]:
        """A structured signal from a hook or a stream: stronger than the screen while fresh."""
        return (*self._overdue(at), *self._tracker.signal(state, at, source))

    def physics(self, busy: bool | None) -> None:
        """Whether the agent is at work by its processes; asked where the screen says nothing."""
        self._tracker.physics(busy)

    def use(self, packs: Packs) -> None:
        """Read status by other rules from the next look on.

        The transcript keeps those it began with: half a session read by others would not align.
        """
        self._chrome = packs[self.agent]

    def tick(self, at: float) -> tuple[StatusChange, ...]:
        """To be called when `at >= due`."""
        return self._overdue(at)

    def _overdue(self, at: float) -> tuple[StatusChange, ...]:
        """Everything that came due up to `at`, each at its own time."""
        changes: list[StatusChange] = []
        for _ in range(8):
            if self.due is None or self.due > at:
                break
            now = self.due
            if self._look_due() is not None and self._look_due() == now:
                changes += self._look(now)
            else:
                changes += self._tracker.tick(now)
            self._schedule()
        return tuple(changes)

    def _note(self, changes: Changed, at: float) -> None:
        """Remember what changed until the next look."""
        self._rows.update(changes.rows)
        keep_scrolled(self._scrolled, changes)
        for event in changes.events:
            match event:
                case Cleared():
                    event = Cleared(None if event.wiped is None else 0)
                case Progress():
                    self._signals = Signals(
                        f"{event.state};{event.value}", self._signals.prompt_mark
                    )
                case PromptMark():
                    self._signals = Signals(
                        self._signals.progress, f"{event.kind};{event.detail or ''}"
                    )
                case _:
                    pass
            self._events.append(event)
        self._wrote = at
        if self._first is None:
            self._first = at
        self._schedule()

    def _look_due(self) -> float | None:
        """When the screen should be looked at next, if anything changed since the last look."""
        if self._first is None or self._wrote is None:
            return None
        moving = self._scrolled or len(self._rows) * 2 > self.terminal.lines
        paced = max(self._first + COMPOSED, self._looked + (PACE_MOVING if moving else PACE))
        when = min(paced, max(self._wrote + QUIET, self._first + COMPOSED))
        if self.terminal.synchronized:
            when = max(when, min(self._wrote + QUIET, self._first + SYNC_LIMIT))
        return when

    def _schedule(self) -> None:
        times = [when for when in (self._look_due(), self._tracker.due) if when is not None]
        self.due = min(times) if times else None

    def _look(self, at: float) -> tuple[StatusChange, ...]:
        """Read the screen as it stands."""
        changes = _Frame(tuple(sorted(self._rows)), tuple(self._scrolled), tuple(self._events))
        self._rows, self._scrolled, self._events = set(), [], []
        self._looked, self._first = at, None
        snapshot = self.terminal.snapshot()
        layout = segment(self._chrome, snapshot)
        self._transcript.feed(snapshot, changes, at, layout)
        self.reading = verdict(self._chrome, snapshot, layout, self._signals)
        return self._tracker.observe(self.reading, at)
