"""Attacks on what Déjà Vu promises, by angle: how often each was tried, and how often it held.

An angle is a module of this folder. It has `ANGLE`, a short name, `FINDINGS`, the numbers it covers, and
`attack(budget, tally)`, which draws attacks from `budget.random` while `budget.more()` and reports each to
the tally. One whose attacks are slow has a `WEIGHT`: how many shares of the time it gets. Nothing here knows
the fix that an attack was found for: an angle draws whole families.

`python -m tests.drills trust --seed N` prints the table. Cost: bounded by the budget, shared
between the angles by their weights; an angle that needs longer than its share gets `LEAST` tries all the same.
One that tried nothing says why, or fails.
"""

import importlib
import pkgutil
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from ..budget import Budget, Outcome

__all__ = ["LEAST", "Tally", "drill", "run"]

LEAST = 5
"""Tries of each angle, however short the time."""
_NAMED = 5  # failures of one angle that are printed


@dataclass
class Tally:
    """What one angle tried: each attack held or fell."""

    tried: int = 0
    held: int = 0
    fell: list[str] = field(default_factory=list)
    skipped: str = ""
    """Why nothing could be tried here: a server or a second user is missing."""

    def record(self, held: bool, attack: str) -> None:
        """Count one attack; `attack` is the sentence that lets a reader repeat it."""
        self.tried += 1
        if held:
            self.held += 1
        else:
            self.fell.append(attack)


def drill(budget: Budget) -> Outcome:
    """Run every angle and return the table as the outcome's note."""
    return run(budget, [
        importlib.import_module(f"{__name__}.{module.name}")
        for module in pkgutil.iter_modules(__path__)
        if not module.name.startswith("test_")
    ])  # fmt: skip


def run(budget: Budget, angles: Sequence[Any]) -> Outcome:
    """Run some angles and return their table as the outcome's note."""
    outcome = Outcome("trust", unit="attacks")
    rows = [f"{'angle':<28} {'findings':<16} {'tried':>7} {'held':>7}"]
    end = time.monotonic() + budget.seconds
    weights = [getattr(angle, "WEIGHT", 1.0) for angle in angles]
    for place, angle in enumerate(angles):
        part = weights[place] / sum(weights[place:])
        seconds = max(1.0, (end - time.monotonic()) * part)
        tally = Tally()
        angle.attack(Budget(seconds, budget.count, budget.seed, LEAST), tally)
        if not tally.tried and not tally.skipped:
            outcome.fail(f"{angle.ANGLE}: nothing was tried, and it does not say why")
        outcome.rounds += tally.tried
        for sentence in tally.fell[:_NAMED]:
            outcome.fail(f"{angle.ANGLE}: {sentence}")
        outcome.failed += len(tally.fell[_NAMED:])
        note = f"  not tried: {tally.skipped}" if tally.skipped else ""
        rows.append(
            f"{angle.ANGLE:<28} {', '.join(angle.FINDINGS):<16} {tally.tried:>7,} {tally.held:>7,}{note}"
        )
    outcome.note = "\n" + "\n".join(rows) + "\n"
    return outcome
