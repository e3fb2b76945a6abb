"""Drills that are programs of their own: pytest's tests marked `soak`, and the terminal's fuzzer.

Both are bounded like the others. The tests run one after the other in an order of the seed's, each in a
process of its own; those that the time was too short for are counted, so that nobody takes a short
run for a whole one.
"""

import subprocess
import sys
import time
from pathlib import Path

from .budget import Budget, Outcome

_ROOT = Path(__file__).resolve().parents[2]
_SHORTEST = 20.0  # seconds left in which it is worth beginning another test


def long_tests(budget: Budget) -> Outcome:
    """Run the tests marked `soak`, as many as the time allows."""
    outcome = Outcome(
        "soak-tests", unit="tests", counts={"not begun": 0, "stopped in the middle": 0}
    )
    names = _collected()
    budget.random.shuffle(names)
    end = time.monotonic() + budget.seconds
    for name in names:
        left = end - time.monotonic()
        if left < _SHORTEST or not budget.more():
            outcome.counts["not begun"] += 1
            continue
        command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", name]
        try:
            done = subprocess.run(
                command, cwd=_ROOT, capture_output=True, text=True, timeout=left, check=False
            )
        except subprocess.TimeoutExpired:
            outcome.counts["stopped in the middle"] += 1
            continue
        outcome.rounds += 1
        if done.returncode not in (0, 5):  # 5: nothing to run here
            outcome.fail(f"{name}: {done.stdout[-400:]!r}")
    return outcome


def _collected() -> list[str]:
    """Their ids; only files that have the mark are imported, or this takes longer than the tests."""
    marked = [
        str(path.relative_to(_ROOT))
        for path in sorted((_ROOT / "tests").rglob("test_*.py"))
        if "mark.soak" in path.read_text(encoding="utf-8")
    ]
    listed = subprocess.run(
        [sys.executable, "-m", "pytest", "--collect-only", "-q", "-m", "soak", *marked],
        cwd=_ROOT, capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    return [line for line in listed.stdout.splitlines() if "::" in line]


def terminal(budget: Budget) -> Outcome:
    """Hostile streams through the terminal, compared with itself; its memory is bounded."""
    outcome = Outcome("terminal-soak", unit="runs")
    command = [
        sys.executable, "-m", "benchmarks.terminal.soak", "--minutes", f"{budget.seconds / 60:.2f}",
        "--seed", str(budget.seed),
    ]  # fmt: skip
    done = subprocess.run(
        command, cwd=_ROOT, capture_output=True, text=True, check=False,
        timeout=budget.seconds + 300,
    )  # fmt: skip
    outcome.rounds = 1
    last = (done.stdout.strip().splitlines() or ["it said nothing"])[-1]
    if done.returncode:
        outcome.fail(f"{last} {done.stderr[-300:]}")
    else:
        outcome.note = last
    return outcome
