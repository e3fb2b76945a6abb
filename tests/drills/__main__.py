"""All drills one after the other, bounded and by seed, with one line of summary each.

    python -m tests.drills [--minutes 60] [--seed N] [DRILL ...]

`make soak MINUTES=60` runs this. The exit code is 1 where a drill failed; the lines below its
summary say how to see it again.
"""

import argparse
import contextlib
import io
import random
import sys
import time
import traceback
from collections.abc import Callable

from . import (
    bit_flips,
    faults,
    format_changes,
    kills,
    repair,
    screen_secrets,
    screen_streams,
    session_files,
    suites,
    trust,
)
from .budget import Budget, Outcome, on_all_processors

DRILLS: dict[str, tuple[Callable[[Budget], Outcome], float, int]] = {
    "kills": (kills.drill, 0.15, 1_000),
    "faults": (faults.drill, 0.16, 10_000),
    "session-files": (on_all_processors(session_files.drill), 0.19, 1_000_000),
    "format-changes": (format_changes.drill, 0.05, 20_000),
    "terminal-streams": (on_all_processors(screen_streams.drill), 0.18, 1_000_000),
    "screen-secrets": (screen_secrets.drill, 0.04, 1_000_000),
    "bit-flips": (bit_flips.drill, 0.04, 1_000_000),
    "repairs": (repair.drill, 0.04, 100_000),
    "trust": (trust.drill, 0.06, 400),
    "terminal-soak": (suites.terminal, 0.03, 1),
    "soak-tests": (suites.long_tests, 0.06, 1_000),
}
"""Name -> the drill, its share of the time, the most rounds. What one leaves goes to the next.

In 60 minutes of two processors with nothing else to do: some 1,000 kills, 1,000,000 damaged files
(640 a second of a processor's time) and as many streams (790).
"""


def main() -> int:
    """Run the drills that were named, or all."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--minutes", type=float, default=60.0)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(10**6))
    parser.add_argument("drills", nargs="*", choices=[[], *DRILLS], metavar="DRILL")
    options = parser.parse_args()
    failed = False
    chosen = {name: DRILLS[name] for name in options.drills or DRILLS}
    end = time.monotonic() + 60 * options.minutes
    shares = [share for _, share, _ in chosen.values()]
    for number, (name, (drill, share, count)) in enumerate(chosen.items()):
        start = time.monotonic()
        seconds = max(1.0, end - start) * share / sum(shares[number:])
        try:
            with contextlib.redirect_stderr(io.StringIO()):  # one line of summary a drill
                outcome = drill(Budget(seconds, count, options.seed))
        except Exception as error:  # one drill's failure is no reason not to run the others
            traceback.print_exc()
            outcome = Outcome(name, failed=1, failures=[f"{error.__class__.__name__}: {error}"])
        print(outcome.line(time.monotonic() - start, options.seed), flush=True)
        for sentence in outcome.failures:
            print(f"    {sentence}", flush=True)
        failed = failed or bool(outcome.failed)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
