"""What every drill is given and what it returns: a bound in count and time, a seed, one line."""

import random
import time
from dataclasses import dataclass, field


@dataclass
class Budget:
    """How long a drill may go on: until `count` rounds are done or `seconds` have passed."""

    seconds: float
    count: int
    seed: int

    def __post_init__(self) -> None:
        self.random = random.Random(self.seed)
        self._end = time.monotonic() + self.seconds
        self._rounds = 0

    def more(self) -> bool:
        """Whether another round may begin; counts it."""
        if self._rounds >= self.count or time.monotonic() >= self._end:
            return False
        self._rounds += 1
        return True


@dataclass
class Outcome:
    """What a drill did. `failures` holds one reproducible sentence each, at most 20."""

    drill: str
    rounds: int = 0
    unit: str = "rounds"
    counts: dict[str, int] = field(default_factory=dict)
    failures: list[str] = field(default_factory=list)
    failed: int = 0
    skipped: str = ""
    note: str = ""

    def fail(self, sentence: str) -> None:
        """Note a failure."""
        self.failed += 1
        if len(self.failures) < 20:
            self.failures.append(sentence)

    def line(self, seconds: float, seed: int) -> str:
        """The summary line."""
        if self.skipped:
            return f"{self.drill}: skipped: {self.skipped}"
        verdict = "ok" if not self.failed else f"{self.failed} FAILED"
        more = "".join(f", {count:,} {name}" for name, count in self.counts.items())
        note = f" ({self.note})" if self.note else ""
        counted = f"{self.rounds:,} {self.unit}{more}{note}"
        return f"{self.drill}: {verdict}; {counted}; {seconds:.0f} s, seed {seed}"
