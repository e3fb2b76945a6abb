"""`make bench`: every benchmark of this folder, one after the other, as one JSON document.

Each is a program of its own that prints JSON: ratios to a peer measured in the same run, by CPU
time, interleaved, as medians. Name some to run only those: `make bench ARGS="passthrough redact"`.
Those that read the material beside the repo (../shared) are left out, and named, without it.
"""

import json
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
SHARED = HERE.parent.parent / "shared" / "data"

# Programs that print JSON; the rest of the folder are their parts, or need longer.
PROGRAMS: dict[str, list[str]] = {
    "terminal": [],
    "passthrough": [],
    "redact": [],
    "providers_speed": [],
    "archive": [],
    "teams": [],
    "search": [],
    "sync": [],
    "status_latency": [],
    "hooks": [],
    "recall": ["--no-model"],
    "scrapers_turns": ["--json"],
    "status": ["--json"],
    "providers_truth": ["--json"],
    "providers_kept": ["--json"],
}
ON_SHARED = {"scrapers_turns", "status", "providers_truth", "providers_kept"}


def run(name: str) -> tuple[bool, object]:
    """Whether it did its work, and what it printed."""
    if name in ON_SHARED and not SHARED.is_dir():
        return True, {"left out": "needs ../shared/data, which is not part of the repo"}
    command = [sys.executable, str(HERE / f"{name}.py"), *PROGRAMS.get(name, [])]
    done = subprocess.run(command, capture_output=True, text=True)
    try:
        return True, json.loads(done.stdout)
    except ValueError:
        return False, {"failed": done.returncode, "told": (done.stderr or done.stdout)[-2000:]}


def main() -> int:
    results: dict[str, object] = {}
    failed = 0
    for name in sys.argv[1:] or PROGRAMS:
        good, results[name] = run(name)
        failed += not good
        print(f"{name}: {'done' if good else 'failed'}", file=sys.stderr)
    print(json.dumps(results, indent=1))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
