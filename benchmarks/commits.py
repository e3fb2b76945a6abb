"""Two commits in one run, in turn: what syncing, searching, a hook, a start and the observer cost each.

    python -m benchmarks.commits [OLD] [NEW] [--runs 5] [--copies 200]     # b463225c (1.0.0) and HEAD

Takes both programs out of git and gives each a home of its own with the same made-up sessions. They take
turns, so that the machine's load hits both alike. Prints JSON: by job, the median CPU milliseconds and the
largest resident megabytes of `old` and `new`, and the `ratio` of the CPU times. `hook` is a prompt without
a daemon; `observer` is the reading of 2 MB of an agent's output, as the observer reads it (`replay`).
"""

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.drills import release

from benchmarks import ROOT

JOBS = {
    "start-up": ("--version",),
    "sync, first": ("sync",),
    "sync, nothing new": ("sync",),
    "list": ("list", "--json"),
    "search": ("search", "budget", "--json"),
    "recall": ("recall", "which port has the proxy", "--json"),
    "hook": ("hook", "inject", "--agent", "claude"),
    "observer": ("replay", "output.cast", "--json"),
}
"""In the order in which they run."""
_PROMPT = {
    "hook_event_name": "UserPromptSubmit", "session_id": "s", "cwd": "/work/kiln",
    "prompt": "Which port does the proxy use?",
}  # fmt: skip


def measured(tree: Path, home: Path, arguments: tuple[str, ...]) -> tuple[float, float]:
    """CPU milliseconds and the largest megabytes of one command and what it waited for."""
    env = {
        "PATH": os.environ["PATH"], "HOME": str(home), "PYTHONPATH": str(tree / "src"),
        "LANG": "C.UTF-8", "DEJAVU_WARM_OBSERVER": "off",
    }  # fmt: skip
    with (home / "prompt.json").open() as stdin:
        process = subprocess.Popen(
            [sys.executable, "-m", "dejavu.interfaces.cli", *arguments],
            env=env, cwd=home, stdin=stdin, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
        )  # fmt: skip
        told = process.stderr.read() if process.stderr else b""
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{tree.name}: {' '.join(arguments)}: {told.decode()[-1000:]}")
    return (usage.ru_utime + usage.ru_stime) * 1e3, usage.ru_maxrss / 1024


def fill(home: Path, copies: int) -> None:
    """Write the sessions, the hook's prompt and an agent's output."""
    home.mkdir()
    release.write_home(home, copies)
    (home / "prompt.json").write_text(json.dumps(_PROMPT), "utf-8")
    line = "\x1b[32m● Read\x1b[0m src/ring.py \x1b[1mand\x1b[0m wrote what it found there, word by word\r\n"
    header = json.dumps({"version": 2, "width": 120, "height": 40})
    events = [json.dumps([n / 20, "o", line * 20]) for n in range((2 << 20) // (20 * len(line)))]
    (home / "output.cast").write_text("\n".join([header, *events, ""]), "utf-8")


def compared(trees: dict[str, Path], scratch: Path, runs: int, copies: int) -> dict[str, object]:
    """The figures of every job, by its name."""
    found: dict[str, dict[str, list[tuple[float, float]]]] = {
        job: {name: [] for name in trees} for job in JOBS
    }
    for number in range(runs):
        homes = {name: scratch / f"{name}-{number}" for name in trees}
        for home in homes.values():
            fill(home, copies)
        for job, arguments in JOBS.items():
            for name in sorted(trees, reverse=bool(number % 2)):
                found[job][name].append(measured(trees[name], homes[name], arguments))
        for home in homes.values():
            shutil.rmtree(home)
    figures: dict[str, object] = {}
    for job, sides in found.items():
        cpu = {name: statistics.median(one[0] for one in each) for name, each in sides.items()}
        peak = {name: statistics.median(one[1] for one in each) for name, each in sides.items()}
        figures[job] = {
            "cpu_ms": {name: round(one, 1) for name, one in cpu.items()},
            "peak_mb": {name: round(one, 1) for name, one in peak.items()},
            "ratio": round(cpu["new"] / cpu["old"], 3),
        }
    return figures


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("old", nargs="?", default=release.OLD)
    parser.add_argument("new", nargs="?", default="HEAD")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--copies", type=int, default=200, help="sessions of each of six topics")
    given = parser.parse_args()
    names = {
        side: subprocess.run(
            ["git", "rev-parse", "--short=8", commit],
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=True,
        ).stdout.strip()
        for side, commit in (("old", given.old), ("new", given.new))
    }
    with tempfile.TemporaryDirectory(prefix="dejavu-commits-") as folder:
        scratch = Path(folder)
        trees: dict[str, Path] = {}
        for side, commit in names.items():
            (scratch / f"tree-{side}").mkdir()
            trees[side] = release.unpacked(commit, scratch / f"tree-{side}")
        figures = compared(trees, scratch, given.runs, given.copies)
    load = round(os.getloadavg()[0], 1)
    print(json.dumps({"commits": names, "load": load, **figures}, indent=1))


if __name__ == "__main__":
    main()
