"""From readings to a status: the order of evidence, and debouncing.

`StatusTracker` takes readings of composed frames, the agent's own reports, facts from outside
(exit, structured signals, CPU activity) and their times, and returns status changes. Evidence,
strongest first: the process's exit; what the agent reports of itself to its terminal, but that a
dialog on the screen outranks a reported idle (agents report done and then ask), a turn whose end is
marked is over whatever is reported (see report_verifier.py), and a screen that
is not recognised casts doubt on it, where this agent's idle screen is one that rules know; a
reading with
`hold`, which keeps the last state; a structured signal younger than `SIGNAL_TTL`; the verdict on
the screen, by the pack's priorities; where the screen gives `unknown`, hints (notifications,
progress, titles), then CPU activity.

What signals and rules say of the same moment is counted (`agreement`), and what the rules said is
remembered for a while (`readings`): rules that a release of the agent has made stale show there.
Once they are known to be (`distrust`), what they say but `blocked` counts as unknown: a dialog that
is none costs a look, an idle that is none a text typed into it.

Debouncing is asymmetric: working and blocked count at once, a visible idle after a short
time (next to none where the end of the turn is marked), an inferred idle after a longer one,
`unknown` last. Cost: O(1) a reading.
"""

from collections import Counter, deque
from dataclasses import dataclass, replace

from .reading import GUESS, NO_RULE, Reading
from .report_verifier import ReportVerifier
from .reports import Hint, Hints, Report
from .state import Confidence, Disagreement, State, StatusChange, TurnEnd

# Seconds a verdict must last before it becomes the state.
IDLE_DEBOUNCE = 0.2
# The same where the end of the turn is marked with the time it took, which no turn that continues
# shows: as long as a frame that follows takes to be read, if this one was drawn by half.
TIMED_IDLE_DEBOUNCE = 0.06
INFERRED_IDLE_DEBOUNCE = 1.0
# The same after work whose turn shows no mark of its end: some agents take their spinner away when
# an answer's first row comes, and its next row comes this much later.
UNENDED_IDLE_DEBOUNCE = 0.5
UNKNOWN_DEBOUNCE = 1.5
# The same behind a dialog in mid-turn: some agents draw nothing but their input between the answer and
# what comes of it, for up to a second.
ANSWERED_IDLE_DEBOUNCE = 1.5
SIGNAL_TTL = 30.0
"""Seconds for which a structured signal overrides the screen.

An agent that is killed, or whose hooks fail, says nothing any more; its screen still tells.
"""
# Seconds for which a report must have stood before a reading is held against it: some agents report
# before they draw.
REPORT_SETTLED = 1.0
# Changes of what the rules say that are remembered.
_READINGS = 2000


@dataclass(slots=True)
class _Candidate:
    state: State
    rule: str
    detail: str
    since: float
    debounce: float


_AT_WORK = "the process is at work"


class StatusTracker:
    """The status of one session."""

    def __init__(self) -> None:
        self.state = State.UNKNOWN
        self.changes: list[StatusChange] = []
        self._candidate: _Candidate | None = None
        self._signal: tuple[State, float, str] | None = None
        self._signal_compared = False
        self._busy: bool | None = None
        self._rests_on_process = False  # the last frame says nothing, and the process was at work
        self._reading: Reading | None = None
        self._end = TurnEnd.MARKED
        self._report: Report | None = None
        self._reported_at = 0.0
        self._reads_idle = False  # the rules know this agent's idle screen
        self._has_worked = False  # since it was idle last: a dialog belongs to a turn then
        self.hints = Hints()
        self._hint: Hint | None = None  # the one that the last verdict rests on
        self.agreement = Counter[tuple[str, State, State]]()
        """How often a signal said the first state while the rules read the second."""
        self.readings = deque[tuple[float, State]](maxlen=_READINGS)
        """From when on the rules read which state, whatever others say of it."""
        self._verifier = ReportVerifier()
        self.distrust = False
        """Whether what the rules say is not to be relied on."""
        self.bare_stream = True
        """Whether an answer's rows may come while nothing on the screen says that the agent works."""
        self.is_pack_old = False
        """Whether the agent is newer than its rules: what they read as idle is only inferred."""

    @property
    def due(self) -> float | None:
        """When the next `tick` is wanted if no other verdict comes, or None."""
        moments = [self._hint.until] if self._hint is not None else []
        if (checked := self._verifier.due) is not None:
            moments.append(checked)
        if self._candidate is not None:
            moments.append(self._candidate.since + self._candidate.debounce)
        return min(moments, default=None)

    @property
    def asks_process(self) -> bool:
        """Whether the state depends on what the process does: `process_activity` is wanted."""
        by_process = bool(self.changes) and self.changes[-1].rule == "process"
        return self.state is State.UNKNOWN or by_process or self._rests_on_process

    @property
    def disagreement(self) -> Disagreement | None:
        """Where what the agent reports and what its screen shows have differed for a while."""
        return self._verifier.disagreement

    def signal(self, state: State, at: float, source: str) -> tuple[StatusChange, ...]:
        """Take a structured signal (a hook, a stream), which overrides the screen for a while."""
        self._signal, self._signal_compared = (state, at, source), False
        if self._report is not None:
            return ()
        return self._propose(State(state), "signal", source, at, 0.0)

    def report(self, report: Report | None, at: float) -> tuple[StatusChange, ...]:
        """Take what the agent reports of itself from `at` on; None: nothing any more."""
        if report == self._report:
            return ()
        self._report, self._reported_at = report, at
        self._verifier.compare(report, self._reading, self._end, at)
        if report is not None:
            return self._propose_report(report, at)
        if self._reading is None:
            return ()
        return self.observe(self._reading, at, self._end)

    def process_activity(self, busy: bool | None, at: float) -> tuple[StatusChange, ...]:
        """Note whether the process uses CPU or has busy children; None if not known.

        A process that rests draws nothing, so that no frame would end what its work began.
        """
        self._busy = busy
        by_process = bool(self.changes) and self.changes[-1].rule == "process"
        if not (by_process or self._rests_on_process) or busy is None or self._is_about_to_change():
            return ()
        state = State.WORKING if busy else State.UNKNOWN
        detail = _AT_WORK if busy else "the screen says nothing, and the process rests"
        return self._propose(state, "process", detail, at, UNKNOWN_DEBOUNCE)

    def _is_about_to_change(self) -> bool:
        """Whether the screen says something by now, and that has to last a moment to count."""
        candidate = self._candidate
        if candidate is None or candidate.rule == "process":
            return False
        return candidate.state is not State.UNKNOWN

    def exit(self, status: int | None, at: float) -> tuple[StatusChange, ...]:
        """The process ended: the final state."""
        detail = "exit status unknown" if status is None else f"exit status {status}"
        return self._propose(State.EXITED, "exit", detail, at, 0.0)

    def observe(
        self, reading: Reading, at: float, end: TurnEnd = TurnEnd.MARKED
    ) -> tuple[StatusChange, ...]:
        """Take the reading of a composed frame; return the change it makes, if any.

        `end`: what the screen says of the end of the last turn.
        """
        report, hint = self._report, self.hints.best(at)
        if self.state is not State.EXITED and not reading.hold:
            self._compare(report, hint, reading, at)
            if not self.readings or self.readings[-1][1] is not reading.state:
                self.readings.append((at, reading.state))
        read = reading
        if self.distrust:
            reading = _distrusted(reading)
        if self.is_pack_old and reading.state is State.IDLE:
            reading = replace(reading, confidence=Confidence.WEAK)
        self._reading, self._end, self._hint = reading, end, None
        self._rests_on_process = False
        self._reads_idle |= reading.state is State.IDLE
        self._verifier.compare(report, reading, end, at)
        if report is not None and self.state is not State.EXITED:
            return self._propose_report(report, at)
        if self.state is State.EXITED or reading.hold:
            self._candidate = None
            return ()
        if self._signal is not None:
            state, since, source = self._signal
            if at - since < SIGNAL_TTL:
                return self._propose(state, "signal", source, at, 0.0)
            self._signal = None
        state, rule = reading.state, reading.rule
        # A reason in our own words; any other detail is a row of the screen.
        detail = reading.detail if rule == NO_RULE or reading is not read else ""
        if state is State.UNKNOWN and hint is not None:
            self._hint = hint
            return self._propose(hint.state, hint.source, hint.detail, at, IDLE_DEBOUNCE)
        if state is State.UNKNOWN and self._busy:
            state, rule, detail = State.WORKING, "process", _AT_WORK
            self._rests_on_process = True
        debounce = _debounce(state, reading.confidence, end)
        if rule == GUESS:
            debounce = IDLE_DEBOUNCE
        is_open = end is TurnEnd.OPEN and self.bare_stream
        if state is State.IDLE and self.state is State.WORKING and is_open:
            debounce = max(debounce, UNENDED_IDLE_DEBOUNCE)
        if state is State.IDLE and self._is_answered() and end is TurnEnd.OPEN:
            debounce = max(debounce, ANSWERED_IDLE_DEBOUNCE)
        return self._propose(state, rule, detail, at, debounce)

    def _is_answered(self) -> bool:
        """Whether a dialog that was asked in mid-turn has just gone."""
        return self.state is State.BLOCKED and self._has_worked

    def _compare(
        self, report: Report | None, hint: Hint | None, reading: Reading, at: float
    ) -> None:
        """Count what signals say of a frame that the rules have read."""
        if report is not None and at - self._reported_at >= REPORT_SETTLED:
            self.agreement[report.source, report.state, reading.state] += 1
        if self._signal is not None and not self._signal_compared:
            state, since, source = self._signal
            if REPORT_SETTLED <= at - since < SIGNAL_TTL:
                # Once each: what a hook said is over without another word of it.
                self._signal_compared = True
                self.agreement[source, state, reading.state] += 1
        if hint is not None and reading.state is not State.UNKNOWN:
            self.agreement[hint.source, hint.state, reading.state] += 1

    def _propose_report(self, report: Report, at: float) -> tuple[StatusChange, ...]:
        reading = self._reading
        if self._verifier.overruled and reading is not None:
            return self._propose(State.IDLE, reading.rule, "", at, 0.0)
        if report.state is not State.IDLE:
            return self._propose(report.state, report.source, report.message, at, 0.0)
        if reading is not None and reading.state is State.BLOCKED:
            debounce = _debounce(State.BLOCKED, reading.confidence)
            if at - self._reported_at < IDLE_DEBOUNCE:
                # An answered dialog may still be drawn when the agent reports what follows.
                debounce = max(debounce, IDLE_DEBOUNCE)
            return self._propose(State.BLOCKED, reading.rule, "", at, debounce)
        strange = reading is not None and reading.state is State.UNKNOWN and not reading.hold
        if strange and self._reads_idle:
            # What is reported may be older than what a person has opened since.
            detail = "reported idle, but the screen is not the idle one"
            return self._propose(State.UNKNOWN, report.source, detail, at, UNKNOWN_DEBOUNCE)
        debounce = IDLE_DEBOUNCE
        if reading is not None and reading.state is State.IDLE:
            debounce = min(debounce, _debounce(State.IDLE, reading.confidence, self._end))
        return self._propose(State.IDLE, report.source, report.message, at, debounce)

    def tick(self, at: float) -> tuple[StatusChange, ...]:
        """Publish the pending candidate if its debounce time is over; let go of an old hint."""
        if self._hint is not None and at >= self._hint.until and self._reading is not None:
            return self.observe(self._reading, at, self._end)
        if (checked := self._verifier.due) is not None and at >= checked:
            self._verifier.check(at)
            if self._report is not None and self._verifier.overruled:
                return self._propose_report(self._report, at)
        candidate = self._candidate
        if candidate is None or at < candidate.since + candidate.debounce:
            return ()
        return self._publish(candidate.state, candidate.rule, candidate.detail, at)

    def _propose(
        self, state: State, rule: str, detail: str, at: float, debounce: float
    ) -> tuple[StatusChange, ...]:
        if self.state is State.EXITED or (state is self.state and self.changes):
            self._candidate = None
            return ()
        if debounce == 0.0:
            return self._publish(state, rule, detail, at)
        candidate = self._candidate
        if candidate is None or candidate.state is not state:
            self._candidate = _Candidate(state, rule, detail, at, debounce)
            return ()
        candidate.debounce = min(candidate.debounce, debounce)
        return self.tick(at)

    def _publish(self, state: State, rule: str, detail: str, at: float) -> tuple[StatusChange, ...]:
        self._candidate = None
        self.state = state
        self._has_worked = state is State.WORKING or (state is State.BLOCKED and self._has_worked)
        change = StatusChange(at, state, rule, detail)
        self.changes.append(change)
        return (change,)


def _distrusted(reading: Reading) -> Reading:
    """Return what is left of a reading by rules that are known to be stale."""
    if reading.hold or reading.state in (State.BLOCKED, State.UNKNOWN):
        return reading
    detail = f"{reading.rule} says {reading.state}, but these rules read this agent badly"
    return replace(reading, state=State.UNKNOWN, detail=detail, confidence=Confidence.NONE)


def _debounce(state: State, confidence: Confidence, end: TurnEnd = TurnEnd.MARKED) -> float:
    match state:
        case State.UNKNOWN:
            return UNKNOWN_DEBOUNCE
        case State.IDLE if confidence is Confidence.WEAK:
            return INFERRED_IDLE_DEBOUNCE
        case State.IDLE:
            return TIMED_IDLE_DEBOUNCE if end is TurnEnd.TIMED else IDLE_DEBOUNCE
        case State.ERROR:
            return IDLE_DEBOUNCE
        case _:
            return IDLE_DEBOUNCE if confidence is Confidence.WEAK else 0.0
