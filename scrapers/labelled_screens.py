"""Screens of a session with what the agent's own trace says of each: its state, and what was said.

`ScreenSampler` keeps frames for a while and labels them once the trace's exchange is complete;
`evaluate` measures a pack on labelled screens. A screen is held against the words that stand on it:
what scrolled off is not a fault. Pure. Memory: `_FRAMES` snapshots and `MOST` labelled ones; cost
of `evaluate`: a segmentation and a parse a screen.
"""

import re
from collections import Counter, deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from dejavu.model import Role, ToolCall, Turn
from dejavu.screen import Snapshot

from .blocks import BlockParser
from .packs import CompiledPack
from .reading import Signals, classify
from .rows import Row
from .segment import segment
from .self_check import Agreement, busy_intervals, f1, text_of, word_runs
from .state import State

MOST = 40
"""Labelled screens that are held of one session."""

_FRAMES = 240
_SAID = 40
"""Texts that may stand on a screen."""

_PAUSE = 0.5
"""Seconds between two frames that are held."""

_SETTLED, _BEFORE_NEXT, _AFTER_LAST = 1.5, 0.3, 5.0
"""Seconds: behind the last word until an agent is idle; before the next prompt; of the last one."""

# At work: working or asking, which a trace cannot tell apart.
BUSY = "busy"
_RIGHT = {
    BUSY: frozenset((State.WORKING, State.BLOCKED)),
    "idle": frozenset((State.IDLE, State.ERROR)),
}


@dataclass(frozen=True, slots=True)
class LabelledScreen:
    """A screen, `busy` or `idle` by the trace, and what had been said by then: role and text."""

    snapshot: Snapshot
    state: str
    said: tuple[tuple[Role, str], ...]


class ScreenSampler:
    """Frames of one session, labelled exchange by exchange."""

    def __init__(self) -> None:
        self.screens: deque[LabelledScreen] = deque(maxlen=MOST)
        self._frames: deque[tuple[float, Snapshot]] = deque(maxlen=_FRAMES)
        self._said: deque[tuple[Role, str]] = deque(maxlen=_SAID)

    def wants(self, at: float) -> bool:
        """Whether a frame of this moment would be held."""
        if at == float("-inf"):
            return False
        return not self._frames or at - self._frames[-1][0] >= _PAUSE

    def sample(self, at: float, snapshot: Snapshot) -> None:
        """Hold a composed frame."""
        self._frames.append((at, snapshot))

    def label(self, exchange: Sequence[Turn], following: float | None) -> None:
        """Label the frames of an exchange; `following` is when the next prompt came, if one did."""
        times = [turn.at for turn in exchange if turn.at is not None]
        self._said += _said(exchange)
        if not times:
            return
        ended = max(times)
        stop = ended + _AFTER_LAST if following is None else following - _BEFORE_NEXT
        frames = [frame for frame in self._frames if min(times) <= frame[0] <= stop]
        busy = [
            snapshot
            for start, end in busy_intervals(exchange)
            for at, snapshot in frames
            if start <= at <= end
        ]
        idle = [snapshot for at, snapshot in frames if at >= ended + _SETTLED]
        if not _is_answered(exchange):
            idle = []
        said = tuple(self._said)
        # The first and the last at work, for what is between looks like one of them, and the last
        # of an idle one: some agents go on drawing for a while.
        for state, snapshots in ((BUSY, (*busy[:1], *busy[1:][-1:])), ("idle", idle[-1:])):
            self.screens += (LabelledScreen(snapshot, state, said) for snapshot in snapshots)


def evaluate(pack: CompiledPack, screens: Iterable[LabelledScreen]) -> Agreement:
    """Return how well a pack reads screens, by the words and states of their labels."""
    total = Agreement()
    for screen in screens:
        layout = segment(pack, screen.snapshot)
        state = classify(pack, screen.snapshot, layout, Signals()).state
        agreed = float(state in _RIGHT[screen.state])
        total.add(Agreement(states={screen.state: (1.0, agreed)}))
        if screen.state == BUSY:
            continue  # half an answer is on it
        top = _first_prompt(screen)
        if top is None:
            continue  # an answer without its beginning
        start, snapshot = layout.transcript.top, screen.snapshot
        rows = [
            Row(text, snapshot.wrapped[n], snapshot.columns, tuple(snapshot.styles[n]))
            for n, text in enumerate(layout.lines, start)
            if n >= top
        ]
        parser = BlockParser(pack, [])
        parser.feed(rows, 0)
        drawn = word_runs("\n".join(layout.rows[top:]))
        for role, kind in ((Role.USER, "user"), (Role.ASSISTANT, "text")):
            wanted = word_runs("\n".join(text for who, text in screen.said if who is role)) & drawn
            blocks = (block for block in parser.blocks if block.kind == kind)
            read = Counter[tuple[str, ...]]()
            for block in blocks:
                read += word_runs("\n".join(content.text for content in block.contents))
            if wanted:
                total.add(Agreement(1, f1(wanted, read)))
    return total


def _first_prompt(screen: LabelledScreen) -> int | None:
    """Return the first row that shows words of a prompt; None if there is none."""
    prompts = [word_runs(text) for role, text in screen.said if role is Role.USER]
    for number, row in enumerate(screen.snapshot.rows):
        runs = word_runs(row)
        if runs and any(len(runs & prompt) * 2 > len(runs) for prompt in prompts):
            return number
    return None


def _said(exchange: Sequence[Turn]) -> list[tuple[Role, str]]:
    texts = [(role, text_of(exchange, role)[:8000]) for role in (Role.USER, Role.ASSISTANT)]
    return [(role, text) for role, text in texts if text]


def _is_answered(exchange: Sequence[Turn]) -> bool:
    last = exchange[-1]
    calls = any(isinstance(part, ToolCall) for part in last.parts)
    return last.role is Role.ASSISTANT and not calls and re.search(r"\w", last.text) is not None
