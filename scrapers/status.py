"""From readings to a status that can be trusted: order of evidence and patience.

Takes readings of composed frames, facts from outside (exit, structured signals, process
physics) and the time; gives status changes. Evidence, strongest first: the process's exit;
a screen that decides nothing (held); a fresh structured signal; then what the screen says, in
the order of the pack's priorities (dialogs, title and progress, the rest); physics as a
tie-break where the screen says nothing.

Patience is not symmetric: working, blocked and error count at once, idle that is seen waits out
a flicker, idle that is inferred waits longer, `unknown` longest. Cost: O(1) a reading.
"""

from dataclasses import dataclass

from .reading import Reading
from .state import Confidence, State, StatusChange

# Seconds a state must hold before it is believed.
IDLE_SEEN = 0.2
IDLE_INFERRED = 1.0
UNKNOWN = 1.5
# Seconds a structured signal stays fresh.
SIGNAL_LIFE = 30.0


@dataclass(slots=True)
class _Candidate:
    state: State
    rule: str
    detail: str
    since: float
    patience: float


class StatusTracker:
    """The status of one session."""

    def __init__(self) -> None:
        self.state = State.UNKNOWN
        self.changes: list[StatusChange] = []
        self._candidate: _Candidate | None = None
        self._signal: tuple[State, float, str] | None = None
        self._busy: bool | None = None

    @property
    def due(self) -> float | None:
        """When a waiting candidate will be believed if nothing else is seen."""
        waiting = self._candidate
        return None if waiting is None else waiting.since + waiting.patience

    def signal(self, state: State, at: float, source: str) -> tuple[StatusChange, ...]:
        """A structured signal (a hook, a stream): believed for a while over the screen."""
        self._signal = state, at, source
        return self._settle(State(state), "signal", source, at, 0.0)

    def physics(self, busy: bool | None) -> None:
        """Whether the process burns CPU or has children at work; None if not known."""
        self._busy = busy

    def exit(self, status: int | None, at: float) -> tuple[StatusChange, ...]:
        """The process ended; nothing overrules this."""
        detail = "exit status unknown" if status is None else f"exit status {status}"
        return self._settle(State.EXITED, "exit", detail, at, 0.0)

    def observe(self, reading: Reading, at: float) -> tuple[StatusChange, ...]:
        """What a composed frame says."""
        if self.state is State.EXITED or reading.hold:
            self._candidate = None
            return ()
        if self._signal is not None:
            state, since, source = self._signal
            if at - since < SIGNAL_LIFE:
                return self._settle(state, "signal", source, at, 0.0)
            self._signal = None
        state, rule, detail = reading.state, reading.rule, reading.detail
        if state is State.UNKNOWN and self._busy:
            state, rule, detail = State.WORKING, "physics", "the process is at work"
        return self._settle(state, rule, detail, at, _patience(state, reading.confidence))

    def tick(self, at: float) -> tuple[StatusChange, ...]:
        """Believe the waiting candidate if its time has come."""
        waiting = self._candidate
        if waiting is None or at < waiting.since + waiting.patience:
            return ()
        return self._publish(waiting.state, waiting.rule, waiting.detail, at)

    def _settle(
        self, state: State, rule: str, detail: str, at: float, patience: float
    ) -> tuple[StatusChange, ...]:
        if self.state is State.EXITED or (state is self.state and self.changes):
            self._candidate = None
            return ()
        if patience == 0.0:
            return self._publish(state, rule, detail, at)
        waiting = self._candidate
        if waiting is None or waiting.state is not state:
            self._candidate = _Candidate(state, rule, detail, at, patience)
            return ()
        waiting.patience = min(waiting.patience, patience)
        return self.tick(at)

    def _publish(self, state: State, rule: str, detail: str, at: float) -> tuple[StatusChange, ...]:
        self._candidate = None
        self.state = state
        change = StatusChange(at, state, rule, detail)
        self.changes.append(change)
        return (change,)


def _patience(state: State, confidence: Confidence) -> float:
    match state:
        case State.UNKNOWN:
            return UNKNOWN
        case State.IDLE:
            return IDLE_INFERRED if confidence is Confidence.WEAK else IDLE_SEEN
        case State.ERROR:
            return IDLE_SEEN
        case _:
            return IDLE_SEEN if confidence is Confidence.WEAK else 0.0
