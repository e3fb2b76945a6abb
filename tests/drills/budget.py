"""What every drill is given and what it returns: a bound in count and time, a seed, one line."""

import multiprocessing
import os
import random
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

SCRATCH = Path("/dev/shm") if os.access("/dev/shm", os.W_OK) else None
"""Where files that are written over thousands of times are cheap; None: wherever `tempfile` says."""


@dataclass
class Budget:
    """How long a drill may go on: until `count` rounds are done or `seconds` have passed.

    least: rounds that are done however long they take; what prepares them may take all of the time.
    """

    seconds: float
    count: int
    seed: int
    least: int = 0

    def __post_init__(self) -> None:
        self.random = random.Random(self.seed)
        self._end = time.monotonic() + self.seconds
        self._rounds = 0

    def more(self) -> bool:
        """Whether another round may begin; counts it."""
        if self._rounds >= self.count:
            return False
        if self._rounds >= self.least and time.monotonic() >= self._end:
            return False
        self._rounds += 1
        return True


@dataclass
class Outcome:
    """What a drill did. `failures` holds one reproducible sentence each, at most 20.

    `constant` names counts that are no sums: of providers, of agents.
    """

    drill: str
    rounds: int = 0
    unit: str = "rounds"
    counts: dict[str, int] = field(default_factory=dict)
    constant: frozenset[str] = frozenset()
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


def on_all_processors(drill: Callable[[Budget], Outcome]) -> Callable[[Budget], Outcome]:
    """The same drill on every processor at once, each with a seed of its own, and one outcome.

    A failure names the seed of its process: the drill run alone with that seed shows it again.
    """

    def parallel(budget: Budget) -> Outcome:
        processors = len(os.sched_getaffinity(0))
        shares = [
            Budget(budget.seconds, -(-budget.count // processors), budget.seed + 1_000_003 * number)
            for number in range(processors)
        ]
        with ProcessPoolExecutor(processors, multiprocessing.get_context("spawn")) as pool:
            return _together(list(pool.map(drill, shares)), shares)

    return parallel


def _together(outcomes: list[Outcome], shares: list[Budget]) -> Outcome:
    whole = outcomes[0]
    sentences = [
        f"with seed {share.seed}: {sentence}"
        for outcome, share in zip(outcomes, shares, strict=True)
        for sentence in outcome.failures
    ]
    for outcome in outcomes[1:]:
        whole.rounds += outcome.rounds
        whole.failed += outcome.failed
        for name, count in outcome.counts.items():
            if name not in whole.constant:
                whole.counts[name] = whole.counts.get(name, 0) + count
    whole.failures = sentences[:20]
    whole.note = f"on {len(outcomes)} processors"
    return whole
