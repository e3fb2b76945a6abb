"""All drills one after the other, bounded and by seed, with one line of summary each.

    python -m tests.drills [--minutes 60] [--seed N] [DRILL ...]

`make soak MINUTES=60` runs this. The exit code is 1 where a drill failed; the lines below its
summary say how to see it again.
"""

import argparse
import random
import sys
import time
from collections.abc import Callable

from . import bit_flips, faults, repair, screen_secrets, screen_streams, session_files
from .budget import Budget, Outcome

DRILLS: dict[str, tuple[Callable[[Budget], Outcome], float, int]] = {
    "session-files": (session_files.drill, 0.35, 1_000_000),
    "terminal-streams": (screen_streams.drill, 0.35, 1_000_000),
    "faults": (faults.drill, 0.3, 10_000),
    "screen-secrets": (screen_secrets.drill, 0.2, 1_000_000),
    "bit-flips": (bit_flips.drill, 0.1, 1_000_000),
    "repairs": (repair.drill, 0.1, 100_000),
}
"""Name -> the drill, its share of the time, the most rounds."""


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
    whole = sum(share for _, share, _ in chosen.values())
    for drill, share, count in chosen.values():
        start = time.monotonic()
        outcome = drill(Budget(options.minutes * 60 * share / whole, count, options.seed))
        print(outcome.line(time.monotonic() - start, options.seed), flush=True)
        for sentence in outcome.failures:
            print(f"    {sentence}", flush=True)
        failed = failed or bool(outcome.failed)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
