"""Secrets that a line end cuts in two, in a text that is no screen: how many leave a piece.

    python -m benchmarks.redact.newline_cuts [--seed N] [--draws N] [-v]

Every format of `formats.py` whose secret is one line, in surroundings that tell nothing or name it, is cut
at a quarter, half and three quarters of its length. A cut falls where ten characters in a row of the
secret stay, before or behind the line end; what is a vendor's fixed prefix alone does not count. A text
whose secret is not known unbroken is left out. "kept whole": neither half was masked. With `-v` the cuts
of tuning vendors that fell are printed, never those of held-out ones.
"""

import argparse
import json
import random
import sys
from collections import Counter

from benchmarks.redact.elsewhere import FIXED
from benchmarks.redact.formats import held_out
from benchmarks.redact.redactor import MARKER, REDACTOR, samples, unbroken

PIECE = 10
PLACES = (0.25, 0.5, 0.75)


def left(half: str, out: str, fixed: int = 0) -> bool:
    """Whether ten characters in a row of a half can be read; the first `fixed` are of every secret."""
    first = max(0, fixed - PIECE + 1)
    return any(half[at : at + PIECE] in out for at in range(first, len(half) - PIECE + 1))


def main() -> None:
    """Print the table as JSON."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--seed", type=int, default=2026)
    parser.add_argument("--draws", type=int, default=1, help="secrets per format")
    parser.add_argument("-v", action="store_true", help="show the tuning vendors' failures")
    options = parser.parse_args()
    tried, fell, sides = Counter[str](), Counter[str](), Counter[str]()
    for sample in samples(random.Random(options.seed), options.draws):
        vendor, text, start, end = sample
        secret = text[start:end]
        if "\n" in secret or len(secret) < 2 * PIECE or not unbroken(sample):
            continue
        fixed = next((len(prefix) for prefix in FIXED if prefix and secret.startswith(prefix)), 0)
        part = "held_out" if held_out(vendor) else "tuning"
        for place in PLACES:
            at = start + int(len(secret) * place)
            out = MARKER.sub("\x00", REDACTOR.redact(f"{text[:at]}\n{text[at:]}"))
            first, rest = left(text[start:at], out, fixed), left(text[at:end], out)
            tried[part] += 1
            fell[part] += first or rest
            if first or rest:
                sides[
                    "kept whole" if first and rest else "first half" if first else "second half"
                ] += 1
                if options.v and part == "tuning":
                    print(f"{vendor} | {text[:at]}⏎{text[at:]} | {out!r}", file=sys.stderr)
    report = {
        "cuts": {**tried, "all": tried.total()},
        "ten characters stay": {**fell, "all": fell.total()},
        "of these": dict(sides),
    }
    print(json.dumps(report, indent=1, ensure_ascii=False))


if __name__ == "__main__":
    main()
