"""Whether what an agent reports of itself holds against its screen.

A report and a strong reading that differ for longer than `SETTLED` are a disagreement: agents report
before they draw, and some say `done` and then ask. Which of the two is right is decided in favour of
what cannot be seen by mistake: a dialog, or the mark that a turn has ended. Decides no state itself
(see status.py). Cost: O(1) a frame.
"""

from .reading import Reading
from .reports import Report
from .state import Confidence, Disagreement, State, TurnEnd

SETTLED = 1.0  # seconds for which the two must differ
ENDED = 3.0  # the same before a turn that is reported to run counts as over
_COMPARED = frozenset({State.WORKING, State.BLOCKED, State.IDLE})


class ReportVerifier:
    """One session's."""

    def __init__(self) -> None:
        self._pair: tuple[str, State, State] | None = None
        self._since = 0.0
        self._end = TurnEnd.OPEN
        self.disagreement: Disagreement | None = None
        """The current one."""

    @property
    def due(self) -> float | None:
        """When the next `check` is wanted though no frame comes."""
        if self._pair is None:
            return None
        if self.disagreement is None:
            return self._since + SETTLED
        return self._since + ENDED if self._may_end and not self.disagreement.followed else None

    @property
    def _may_end(self) -> bool:
        """Whether the screen marks the end of the turn that is reported to run."""
        pair = self._pair
        return pair is not None and pair[1:] == (State.WORKING, State.IDLE) and self._is_ended

    @property
    def _is_ended(self) -> bool:
        return self._end is not TurnEnd.OPEN

    def compare(
        self, report: Report | None, reading: Reading | None, end: TurnEnd, at: float
    ) -> None:
        """Take what holds from `at` on; `end`: what the screen says of the end of the last turn."""
        pair = _pair_of(report, reading)
        if pair != self._pair or end is not self._end:
            if pair != self._pair:
                self.disagreement = None
            self._pair, self._since, self._end = pair, at, end
        self.check(at)

    def check(self, at: float) -> None:
        """See whether the two have differed for long enough by now."""
        pair = self._pair
        if pair is None or at < self._since + SETTLED:
            return
        source, reported, read = pair
        asks = (reported, read) == (State.IDLE, State.BLOCKED)
        followed = asks or (self._may_end and at >= self._since + ENDED)
        known = self.disagreement
        since = self._since if known is None else known.since
        if known is None or known.followed is not followed:
            self.disagreement = Disagreement(source, reported, read, since, followed)

    @property
    def overruled(self) -> bool:
        """Whether the turn that is reported to run is over by its screen."""
        found = self.disagreement
        return found is not None and found.followed and found.read is State.IDLE


def _pair_of(report: Report | None, reading: Reading | None) -> tuple[str, State, State] | None:
    """Return what differs: the report's source, its state, the screen's; None where nothing does.

    An idle agent behind which something runs may show that it works.
    """
    if report is None or reading is None or reading.hold:
        return None
    states = report.state, reading.state
    if not _COMPARED.issuperset(states) or states[0] is states[1]:
        return None
    if reading.confidence is not Confidence.STRONG:
        return None
    if report.pending and State.BLOCKED not in states:
        return None
    return report.source, *states
