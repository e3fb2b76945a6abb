"""The screen's reading compared with the agent's own trace, while the session runs.

Exchanges of the trace are compared as they are complete (see `scrapers.self_check`), and the sums
added to the scores of the agent's version (`reading_scores`). Where these are below the operator's
bar turns of the screen are marked, and states are distrusted that are not known to be right. Reads
each turn of the trace once; memory: the exchange in progress, and what `SelfCheck` and
`ScreenSampler` hold. Of what was drawn only labelled screens are written, redacted, and these only
where screens may be kept and the session is read badly (see `aligned_screens`).
"""

import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import msgspec

from dejavu.archive import Archive
from dejavu.model import Conversation, Role, Text, ToolCall, Turn, Vector
from dejavu.model.conversation import exchanges
from dejavu.scrapers import SessionReader, State
from dejavu.scrapers.labelled_screens import LabelledScreen, ScreenSampler
from dejavu.scrapers.self_check import Agreement, SelfCheck, of_signals

from ..reading_scores import Reading, add, known
from ..session_store import SessionHeader
from .observed_session import FaultLog
from .session_log_follower import main_of

SAMPLE = 5
"""Exchanges of a session whose text is compared where nothing of its screen is archived."""

_EVERY = 15.0
"""Seconds between two times that scores are written, at the least."""

_LONGEST = 2000
"""Turns of one exchange that are held: its first and its last ones."""

_WAITING = 50
"""Exchanges that wait until the screen has shown them."""

_LAG = 1.0
"""Seconds behind its last turn after which an exchange is on the screen."""

_SLACK = 2.0
"""Seconds: clocks of traces that are coarse."""


class ReadingCheck:
    """One session's self-check. `publish` takes what `status --json` shows of it.

    `keep`, where screens may be kept, takes the agent's version and labelled screens of a session
    that is read badly.
    """

    def __init__(
        self,
        header: SessionHeader,
        bar: float,
        faults: FaultLog,
        publish: Callable[[dict[str, Any]], None],
        keep: Callable[[str, Iterable[LabelledScreen]], None] | None = None,
    ) -> None:
        self._keep, self._sampler = keep, ScreenSampler()
        self._total = Agreement()
        self._header, self._bar, self._faults, self._publish = header, bar, faults, publish
        self._check = SelfCheck()
        self._conversation = ""
        self._version = ""
        self._next = 0  # the turn of the trace that is read next
        self._open: list[Turn] = []
        self._complete: list[list[Turn]] = []  # exchanges that the screen may not show yet
        self._pending = Agreement()
        self._signals = Counter[tuple[str, State, State]]()
        self._digest: str | None = None
        self._size = 0, 0
        self._last_gap = self._resized_at = float("-inf")
        self._saved_at = 0.0
        self._exchanges = 0
        self.low = False
        """Whether the screen of this agent's version is read too badly to be relied on."""

    @property
    def wants_turns(self) -> bool:
        """Whether turns should be read although they are not kept."""
        return self._exchanges < SAMPLE

    def begin(self, reader: SessionReader) -> None:
        """Take what earlier sessions found of the agent, and the rules that it is read by."""
        self._digest = reader.pack_digest
        self._judge(reader)

    def release(self, reader: SessionReader) -> tuple[Turn, ...]:
        """Return the turns that the reader gives up; they are compared all the same."""
        self._last_gap = max((gap.at for gap in reader.gaps), default=self._last_gap)
        turns = reader.release()
        self._check.settle(turns)
        return turns

    def sample(self, reader: SessionReader) -> None:
        """Hold the screen as it is, if it may be kept and some time has passed."""
        if self._keep is not None and self._sampler.wants(reader.sampled_at):
            self._sampler.sample(reader.sampled_at, reader.terminal.snapshot())

    def look(
        self,
        archive: Archive | None,
        natives: Sequence[Conversation],
        reader: SessionReader | None,
        *,
        final: bool = False,
    ) -> None:
        """Compare the exchanges that are complete by now. Never raises.

        `archive` is None where nothing new was written, and there are no `natives`.
        """
        if reader is None:
            return
        try:
            if archive is not None and natives:
                self._follow(archive, main_of(natives), final=final)
                reader.set_agent_version(self._version)
            self._compare(reader, final=final)
            if final or time.monotonic() - self._saved_at >= _EVERY:
                self._save(reader)
        except Exception as error:  # nothing depends on it
            self._faults.record("the reading's self-check", error)

    def _follow(self, archive: Archive, main: Conversation, *, final: bool) -> None:
        """Read what is new of the trace."""
        if main.id != self._conversation or main.turn_count < self._next:
            self._conversation, self._open = main.id, []
            self._next = self._first_turn(archive, main)
        self._version = main.agent_version or ""
        # The last turn may still grow.
        stop = main.turn_count if final else main.turn_count - 1
        if stop <= self._next:
            return
        self._open += (
            _outline(turn)
            for turn in archive.turns(main.id, self._next, stop)
            if turn.vector is not Vector.SCREEN
        )
        self._next = stop
        split = exchanges(self._open)
        self._complete += split if final else split[:-1]
        del self._complete[:-_WAITING]
        self._open = [] if final else split[-1]
        if len(self._open) > _LONGEST:
            self._open = [*self._open[:100], *self._open[100 - _LONGEST :]]

    def _compare(self, reader: SessionReader, *, final: bool) -> None:
        """Compare the exchanges that the screen has shown by now."""
        shown = [e for e in self._complete if final or _ended(e) < reader.sampled_at - _LAG]
        if not shown:
            return
        self._complete = self._complete[len(shown) :]
        size = reader.terminal.columns, reader.terminal.lines
        if all(self._size) and size != self._size:
            self._resized_at = reader.sampled_at  # agents tear their own screens around it
        self._size = size
        reads_text = reader.reads_turns and self._digest == reader.pack_digest
        live = reader.turns if reads_text else ()
        gap = max((gap.at for gap in reader.gaps), default=self._last_gap)
        for exchange in shown:
            if exchange[0].role is not Role.USER:
                continue  # what the agent did before anybody asked
            whole = reads_text and max(gap, self._resized_at) < (exchange[0].at or 0.0)
            agreement, _ = self._check.compare(exchange, live, reader.readings, with_text=whole)
            self._pending.add(agreement)
            self._total.add(agreement)
            self._exchanges += 1
            if self._keep is not None:
                self._sampler.label(exchange, self._following(exchange, shown))

    def _following(self, exchange: Sequence[Turn], shown: Sequence[Sequence[Turn]]) -> float | None:
        """Return when the next prompt came, if one has come."""
        later = [*shown, *self._complete, self._open]
        ended = _ended(exchange)
        starts = [turns[0].at for turns in later if turns and turns[0].at is not None]
        return min((at for at in starts if at > ended), default=None)

    def _first_turn(self, archive: Archive, main: Conversation) -> int:
        """Return the first turn of this session's, by bisection: it may have resumed a long one."""
        low, high, since = 0, main.turn_count, self._header.started_at - _SLACK
        while low < high:
            middle = (low + high) // 2
            turn = next(iter(archive.turns(main.id, middle, middle + 1)), None)
            if turn is None or turn.at is None or turn.at >= since:
                high = middle
            else:
                low = middle + 1
        return low

    def _save(self, reader: SessionReader) -> None:
        """Add what was compared since the last time to the scores, and judge by them."""
        self._saved_at = time.monotonic()
        signals = Counter(reader.agreement) - self._signals
        self._signals = Counter(reader.agreement)
        self._pending.add(of_signals(signals))
        if self._pending.turns or self._pending.states:
            size = (
                self._size if all(self._size) else (reader.terminal.columns, reader.terminal.lines)
            )
            add(
                self._header.agent, self._version, size, reader.pack_digest, self._pending,
                time.time(),
            )  # fmt: skip
            self._pending = Agreement()
        self._judge(reader)
        score = self._total.score
        if self._keep is not None and score is not None and score < self._bar:
            self._keep(self._version, self._sampler.screens)

    def _judge(self, reader: SessionReader) -> None:
        reading = known(self._header.agent, self._version, reader.pack_digest, self._bar)
        self.low = reading is not None and reading.low
        reader.distrust(reading is not None and reading.misreads_states)
        if reading is not None:
            self._publish(reading_to_dict(reading))


def _ended(exchange: Sequence[Turn]) -> float:
    return max((turn.at for turn in exchange if turn.at is not None), default=0.0)


def reading_to_dict(reading: Reading) -> dict[str, Any]:
    """Return a reading as `status --json` and `doctor --json` show it; moments are Unix seconds."""
    figures = reading.agreement.sufficient
    return {
        "score": _rounded(reading.score),
        "turns": reading.agreement.turns,
        "version": reading.version or None,
        "since": reading.since,
        "text": _rounded(figures.of_text),
        "states": _rounded(figures.of_states),
        "low": reading.low,
    }


def _rounded(figure: float | None) -> float | None:
    return None if figure is None else round(figure, 4)


def _outline(turn: Turn) -> Turn:
    """Return what of a turn is compared: its texts, and whether it calls a tool."""
    parts = tuple(
        part if isinstance(part, Text) else ToolCall(part.id, part.name)
        for part in turn.parts
        if isinstance(part, Text | ToolCall)
    )
    return msgspec.structs.replace(turn, parts=parts, meta={}, spans=(), usage=None)
