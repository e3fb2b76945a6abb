"""What the commands cost to start and to run on a small archive, beside a bare Python.

    python -m benchmarks.interfaces.cli [--runs 15] [--sessions 200] [COMMAND ...]

Each command is a whole process, run in turns with `python -c pass`, on a home of Claude-like
sessions that has been imported and indexed; `sync` finds nothing changed. CPU is user and system
time of the process and what it waited for, median of the runs, in milliseconds; `ratio` is to the
bare Python of the same run; `benchmarks.commits` compares two commits. Prints JSON. O(runs x
commands).
"""

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks.archive.corpus import Session

COMMANDS = (
    "dejavu --version",
    "dejavu --help",
    "dejavu list",
    "dejavu list --json --limit 10",
    "dejavu search retry",
    "dejavu show last",
    "dejavu timeline last",
    "dejavu status",
    "dejavu sync",
    "dejavu memories",
    "dejavu list --help",
    "dejavu list --unknown",
    "dejavu hook capture --agent claude",
    "dejavu hook inject --agent claude",
    "dejavu-run true",
)
SESSION_BYTES = 20_000
BIN = Path(sys.executable).parent


def cpu(command: list[str], home: Path) -> float:
    """CPU milliseconds of one process with nothing on stdin."""
    environment = {"PATH": os.environ["PATH"], "HOME": str(home), "LANG": "C.UTF-8"}
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(
        command, env=environment, stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False,
    )  # fmt: skip
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime) * 1e3


def fill(home: Path, sessions: int) -> Path:
    """A home with so many session files; the same bytes whenever it is made."""
    for number in range(sessions):
        session = Session(number, SESSION_BYTES)
        path = home / session.path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"".join(line for line, _ in session.lines()))
    return home


def measure(home: Path, commands: list[str], runs: int) -> dict[str, float]:
    """Median CPU of every command, and of a bare Python, in turns; the first round only warms up."""
    taken: dict[str, list[float]] = {command: [] for command in ["python -c pass", *commands]}
    for number in range(runs + 1):
        for command, times in taken.items():
            first, *words = command.split()
            spent = cpu([str(BIN / first), *words], home)
            if number:
                times.append(spent)
    return {command: statistics.median(times) for command, times in taken.items()}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--runs", type=int, default=15)
    parser.add_argument("--sessions", type=int, default=200)
    parser.add_argument("commands", nargs="*", metavar="COMMAND", help="such as 'dejavu list'")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="dejavu-cli-") as scratch:
        home = fill(Path(scratch) / "home", options.sessions)
        for words in (["sync"], ["search", "retry"], ["sync"]):
            cpu([str(BIN / "dejavu"), *words], home)
        times = measure(home, options.commands or list(COMMANDS), options.runs)
    bare = times.pop("python -c pass")
    results: dict[str, object] = {"python": sys.version.split()[0], "bare_cpu_ms": round(bare, 1)}
    results |= {
        command: {"cpu_ms": round(ours, 1), "ratio": round(ours / bare, 2)}
        for command, ours in times.items()
    }
    print(json.dumps(results, indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
