"""`make bench`: every benchmark of this folder, one after the other, as one JSON document.

Each is a program of its own that prints JSON: ratios to a peer measured in the same run, by CPU
time, interleaved, as medians. Name some to run only those: `make bench ARGS="passthrough redact"`.
"""

import json
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
# Programs that print JSON by themselves; the rest of the folder are their parts.
PROGRAMS = (
    "terminal",
    "passthrough",
    "redact",
    "providers_speed",
    "archive",
    "search",
    "status_latency",
    "scrapers_cost",
    "scrapers_turns",
    "status",
)


def main() -> int:
    wanted = sys.argv[1:] or list(PROGRAMS)
    results: dict[str, object] = {}
    failed = 0
    for name in wanted:
        done = subprocess.run(
            [sys.executable, str(HERE / f"{name}.py")], capture_output=True, text=True
        )
        try:
            results[name] = json.loads(done.stdout)
        except ValueError:
            failed += 1
            results[name] = {
                "failed": done.returncode,
                "told": (done.stderr or done.stdout)[-2000:],
            }
        print(f"{name}: done", file=sys.stderr)
    print(json.dumps(results, indent=1))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
