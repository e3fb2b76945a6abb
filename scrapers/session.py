"""One session: terminal, status and transcript joined, with pacing. The same live and offline.

`SessionReader` takes an agent's output (bytes with times), resizes, gaps and its exit, and returns
status changes; `turns` and `gaps` are read from it. Sans-IO: the caller's clock comes with every
call, and `due` is when the next `tick` is wanted (see sampling.py).
Cost: the terminal's, plus a few milliseconds a sample. Memory: of the screen
and `history`, of at most 10,000 rows of the transcript, and of the turns, which a caller that reads
for long takes with `release` (or does without by `drop_transcript`).
"""

from collections.abc import Mapping
from dataclasses import replace

from dejavu.model import Turn
from dejavu.screen import AgentStatus, Event, Progress, PromptMark, Snapshot, Terminal, Title

from .composer import Composer, read_composer
from .motion import HOLD, Motion, StreamingDetector, only_turns
from .packs import GENERIC, Packs, default_packs
from .reading import (
    NO_RULE,
    Reading,
    Signals,
    classify,
    guessed,
    overruled,
    read_as_any,
    typed_text,
)
from .reports import TITLE_SPINNER, Report, may_end_report, report_of, report_of_agent
from .sampling import Changed, Sampler
from .secret_rows import BlockMask
from .segment import Segmentation
from .situations import SituationReader
from .state import Disagreement, Situation, State, StatusChange
from .status import StatusTracker
from .transcript import Gap, Transcript
from .transcript_buffer import TranscriptBuffer
from .work_cues import turn_end

# A title whose spinner has not turned for this long is an old one; the slowest turn once a second.
TITLE_STILL = 4.0
# Bytes fed at once.
_SLICE = 1 << 14
# Rows that a spinner with its clock, and a cursor, change at most.
_QUIET_ROWS = 2
# Seconds by which rows that came speak less long for an agent that no rules know.
_LESS = 0.5
# CAN: aborts an escape sequence that a gap cut in two (ECMA-48 8.3.6).
_CAN = b"\x18"


class SessionReader:
    """Reads one session. `agent` names the pack; "auto" or an unknown name gets the generic one.

    `styled`: whether the bytes tell styles; where they do not, verdicts are weak (see `reading`).
    `every_frame`: also sample each frame in which only a spinner turned.
    """

    def __init__(
        self,
        agent: str,
        columns: int,
        lines: int,
        *,
        history: int = 10_000,
        packs: Packs | None = None,
        mask: BlockMask | None = None,
        styled: bool = True,
        every_frame: bool = False,
    ) -> None:
        packs = packs or default_packs()
        self.agent = agent
        self.terminal = Terminal(columns, lines, history=history, graphemes=True)
        self.reading: Reading | None = None
        self.due: float | None = None
        self._pack, self._any = packs[agent], packs[GENERIC]
        self._is_guessed = self._pack.spec.agent == GENERIC  # no rules know the agent
        self._agent_version = ""
        self._tracker = StatusTracker()
        self._tracker.bare_stream = not self._pack.spec.steady_work
        self._transcript: Transcript | None = Transcript(agent, packs=packs, mask=mask)
        self._signals = Signals()
        self._title = ""
        self._sampled = self._signals, self._title
        self._title_at = float("-inf")
        self._title_until: float | None = None
        self._styled = styled
        self._growth = StreamingDetector()
        self._motion = Motion()
        self._growing_until: float | None = None
        self._shown: Snapshot | None = None
        self._report: Report | None = None
        self._agent_status: AgentStatus | None = None
        self._situations = SituationReader(mask, styled=styled)
        self.is_quiet = False
        """Whether the last sample showed no more than a spinner that turned, or a clock."""
        self._sampler, self._layouts = Sampler(every_frame=every_frame), Segmentation()

    @property
    def state(self) -> State:
        """The status now."""
        return self._tracker.state

    @property
    def status(self) -> list[StatusChange]:
        """Every change of status so far."""
        return self._tracker.changes

    @property
    def situation(self) -> Situation:
        """What the agent waits for, what runs behind it, and its own words; made when it changes."""
        return self._situations.read(self._tracker.state, self._report, self.reading, self._shown)

    @property
    def agreement(self) -> Mapping[tuple[str, State, State], int]:
        """How often a signal (its source) said the first state while the rules read the second."""
        return self._tracker.agreement

    @property
    def disagreement(self) -> Disagreement | None:
        """Where what the agent reports and what its screen shows have differed for a while."""
        return self._tracker.disagreement

    @property
    def readings(self) -> tuple[tuple[float, State], ...]:
        """From when on the rules alone read which state: the last 2,000 changes."""
        return tuple(self._tracker.readings)

    @property
    def pack_digest(self) -> str:
        """Which version of the rules states are read by."""
        return self._pack.digest

    @property
    def sampled_at(self) -> float:
        """When the screen was last read; minus infinity before that."""
        return self._sampler.sampled_at

    @property
    def reads_turns(self) -> bool:
        """Whether turns are read."""
        return self._transcript is not None

    @property
    def composer(self) -> Composer | None:
        """The text field as the terminal shows it now; computed each time."""
        return read_composer(self._pack, self.terminal.snapshot())

    def distrust(self, distrusted: bool) -> None:
        """Take the rules' states, but `blocked`, for unknown from the next sample on, or not."""
        self._tracker.distrust = distrusted

    def set_agent_version(self, version: str) -> None:
        """Say which release runs: an idle that older rules read has to last longer to count."""
        self._agent_version = version
        self._tracker.is_pack_old = self._pack.is_older_than(version)
        self._tracker.bare_stream |= self._tracker.is_pack_old

    @property
    def turns(self) -> tuple[Turn, ...]:
        """The turns so far, vector `screen`, behind those that were released."""
        return () if self._transcript is None else self._transcript.turns

    @property
    def gaps(self) -> tuple[Gap, ...]:
        """Where something went by unseen."""
        return () if self._transcript is None else self._transcript.gaps

    @property
    def buffered(self) -> tuple[TranscriptBuffer, ...]:
        """The rows that turns are read from, for an audit (see row_proofs)."""
        return () if self._transcript is None else self._transcript.buffered

    @property
    def has_settled(self) -> bool:
        """Whether there may be turns that cannot change any more, for `release`."""
        return self._transcript is not None and self._transcript.has_settled

    def release(self) -> tuple[Turn, ...]:
        """Give up what is over: changes of status, gaps, and turns that cannot change any more.

        Return these turns (see `Transcript.release`).
        """
        del self._tracker.changes[:-1]
        return () if self._transcript is None else self._transcript.release()

    def drop_transcript(self) -> None:
        """Follow the status only from here on: there are no turns and no gaps any more."""
        self._transcript = None

    def output(self, data: bytes, at: float) -> tuple[StatusChange, ...]:
        """Feed bytes written at `at`, after the samples that were due before."""
        changes = self._overdue(at)
        for start in range(0, len(data) or 1, _SLICE):
            fed = self.terminal.feed(data[start : start + _SLICE])
            self._record_changes(fed, at)
            if fed.events:
                changes = (*changes, *self._take_reports(fed.events, at))
            if self._sampler.is_flooded:
                changes = (*changes, *self._sample(at))
                self._schedule()
        return changes

    def resize(self, columns: int, lines: int, at: float) -> tuple[StatusChange, ...]:
        """Resize the terminal."""
        before = self._overdue(at)
        self._record_changes(self.terminal.resize(columns, lines), at)
        return before

    def gap(self, lost_bytes: int, at: float, reason: str = "") -> tuple[StatusChange, ...]:
        """Mark lost output, and abort an escape sequence it may have cut."""
        before = self._overdue(at)
        if self._transcript is not None:
            self._transcript.mark_gap(at, reason or f"the capture lost {lost_bytes} bytes")
            self._transcript.keys(b"", at)
        self._record_changes(self.terminal.feed(_CAN), at)
        return before

    def keys(self, data: bytes, at: float) -> tuple[StatusChange, ...]:
        """Take bytes that were typed at `at` (see `Transcript.keys`); empty: some were not seen."""
        changes = self._overdue(at)
        if self._transcript is not None:
            self._transcript.keys(data, at)
        return changes

    def give(self, text: str, at: float) -> None:
        """Take a text that the agent was started with, which may be its first prompt."""
        if self._transcript is not None:
            self._transcript.give(text, at)

    def exit(self, status: int | None, at: float) -> tuple[StatusChange, ...]:
        """Take the agent's exit: the screen is final."""
        before = self._overdue(at)
        self.terminal.program_exited()
        if self._transcript is not None:
            self._transcript.cover.settles_at = None  # what is there now is all there is
        changes = self._sample(at) if self._sampler.is_unsampled else ()
        if self._transcript is not None:
            self._transcript.finish()
        self.due = None
        return (*before, *changes, *self._tracker.exit(status, at))

    def signal(self, state: State, at: float, source: str) -> tuple[StatusChange, ...]:
        """Take a structured signal from a hook or a stream; it overrides the screen while fresh."""
        return (*self._overdue(at), *self._tracker.signal(state, at, source))

    @property
    def asks_process(self) -> bool:
        """Whether `process_activity` is wanted."""
        return self._tracker.asks_process

    def process_activity(self, busy: bool | None, at: float) -> tuple[StatusChange, ...]:
        """Whether the agent is at work by its processes; asked where the screen says nothing."""
        return self._tracker.process_activity(busy, at)

    def set_packs(self, packs: Packs) -> None:
        """Classify by other packs from the next sample on.

        The transcript keeps the pack it began with: rows read by another would not align.
        """
        self._pack, self._any = packs[self.agent], packs[GENERIC]
        self._is_guessed = self._pack.spec.agent == GENERIC
        self.set_agent_version(self._agent_version)

    def tick(self, at: float) -> tuple[StatusChange, ...]:
        """Do what came due; to be called when `at >= due`."""
        return self._overdue(at)

    def _overdue(self, at: float) -> tuple[StatusChange, ...]:
        """Do everything that came due up to `at`, each at its own time."""
        changes: list[StatusChange] = []
        for _ in range(8):
            if self.due is None or self.due > at:
                break
            now = self.due
            if (self._sample_due() is not None and self._sample_due() == now) or now in (
                self._title_until,
                self._settles_at,
            ):
                changes += self._sample(now)
            elif self._growing_until == now:
                changes += self._observe(now)
            else:
                changes += self._tracker.tick(now)
            self._schedule()
        return tuple(changes)

    def _record_changes(self, changes: Changed, at: float) -> None:
        """Collect what changed until the next sample."""
        if self._sampler.collect(changes) and self._transcript is not None:
            self._transcript.mark_gap(at, "rows of a word without an end were left out")
        for event in changes.events:
            match event:
                case Progress() | PromptMark():
                    self._signals = self._signals.after(event)
                case Title(text) if text != self._title:
                    self._title, self._title_at = text, at
                case _:
                    pass
            self._tracker.hints.take(event, at)
        turns = self._sampler.is_turning and self._turns(changes)
        self._sampler.note_output(at, turns=turns)
        self._schedule()

    def _take_reports(self, events: tuple[Event, ...], at: float) -> tuple[StatusChange, ...]:
        """Take what the agent says of itself now, if anything of that came."""
        statuses = [event for event in events if isinstance(event, AgentStatus)]
        if statuses:
            self._agent_status = statuses[-1]
        elif not any(may_end_report(event) for event in events):
            return ()
        report = report_of(self.terminal.program_status)
        if report is None and self._agent_status is not None:
            report = report_of_agent(self._agent_status)
        self._report = report
        changes = self._tracker.report(report, at)
        self._schedule()
        return changes

    @property
    def _settles_at(self) -> float | None:
        """When a screen that a resize tore is read again."""
        return None if self._transcript is None else self._transcript.cover.settles_at

    def _sample_due(self) -> float | None:
        """Return when to sample next; None if nothing changed since the last sample."""
        return self._sampler.due(self.terminal.lines, synchronized=self.terminal.synchronized)

    def _turns(self, changes: Changed) -> bool:
        """Whether the agent works on, and no more than its spinner or its clock has moved."""
        reading = self.reading
        if reading is None or not reading.state is self._tracker.state is State.WORKING:
            return False
        signals, title = self._sampled
        if changes.scrolled or self.terminal.synchronized or self._signals != signals:
            return False
        now = self.terminal.snapshot()
        return only_turns(reading.layout, title, changes.rows, changes.events, now)

    def _schedule(self) -> None:
        moments = (
            self._sample_due(), self._growing_until, self._title_until, self._settles_at,
            self._tracker.due,
        )  # fmt: skip
        times = [when for when in moments if when is not None]
        self.due = min(times) if times else None

    def _sample(self, at: float) -> tuple[StatusChange, ...]:
        """Segment and classify the screen now, and feed the transcript."""
        changes = self._sampler.take(at)
        self.is_quiet = len(changes.rows) <= _QUIET_ROWS and not changes.scrolled
        snapshot = self.terminal.snapshot()
        layout = self._layouts.layout_of(self._pack, snapshot)
        self._shown = snapshot
        if self._transcript is not None:
            self._transcript.feed(snapshot, changes, at, layout)
        above = () if self._transcript is None else self._transcript.rows_above
        self._sampled = self._signals, self._title
        signals = replace(self._signals, title_turns=at < self._title_at + TITLE_STILL)
        styled = self._styled
        reading = classify(self._pack, snapshot, layout, signals, above, styled=styled)
        if reading.rule == NO_RULE:
            reading = read_as_any(reading, self._any, snapshot, signals, above, styled=styled)
        by_title = reading.region == "title" and signals.title_turns
        self._title_until = self._title_at + TITLE_STILL if by_title else None
        is_idle = reading.state is State.IDLE
        counts = is_idle and self.reading is not None and self.reading.state is not State.WORKING
        counts |= self._is_guessed and reading.state is not State.WORKING
        lines, typed = layout.lines, typed_text(snapshot, layout)
        self._growth.observe(self._pack, lines, snapshot.columns, at, counts=counts, typed=typed)
        self._motion.observe(layout.rows, at)
        self.reading = reading
        return self._observe(at)

    def _observe(self, at: float) -> tuple[StatusChange, ...]:
        """Give the reading to the tracker: work while rows keep coming or a glyph turns.

        Rules may say idle meanwhile. Rows that come before anybody asks are a welcome.
        """
        reading = self.reading
        if reading is None:
            return ()
        growing, turning = self._growth.until, self._motion.until
        is_asked = growing is None or self._transcript is None or self._transcript.is_asked
        titled = None
        if self._is_guessed:
            growing = None if growing is None else growing - _LESS
            titled = self._title_at + HOLD if TITLE_SPINNER.match(self._title) else None
        moments = [each for each in (growing, turning, titled) if each is not None and at < each]
        self._growing_until = min(moments, default=None)
        if self._is_guessed and self._shown is not None:
            reading = guessed(reading, self._shown, is_moving=bool(moments))
        elif not reading.hold and reading.state is State.IDLE:
            if turning is not None and at < turning:
                reading = overruled(reading, State.WORKING, "motion", self._motion.row)
            elif growing is not None and at < growing and is_asked:
                reading = overruled(reading, State.WORKING, "growth", "rows keep coming")
                self._tracker.bare_stream = True
        return self._tracker.observe(reading, at, turn_end(self._pack, reading.layout))
