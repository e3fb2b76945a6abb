"""Seconds until a first sync's first conversation is listed, and found by a word of all of them.

    python -m benchmarks.ingest.first_hit [--base CHECKOUT] [--megabytes 200] [--runs 5]

Both programs sync the same generated history in turns, each into an empty archive, while the
commands ask every 0.2 s: wall seconds from the start of the sync, median of the runs. `cpu` is of
the sync alone, without those questions. Prints JSON. O(runs x history).
"""

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.archive.corpus import sessions


def answers(command: list[str], environment: dict[str, str]) -> bool:
    """Whether a command prints any row."""
    done = subprocess.run(command, env=environment, capture_output=True, check=False)
    if done.returncode:
        return False
    document = json.loads(done.stdout or b"[]")
    return bool(document["hits"] if isinstance(document, dict) else document)


def measure(folder: Path, home: Path, data: Path) -> dict[str, float]:
    """Times of one first sync by the commands in `folder`."""
    environment = {
        "PATH": os.environ["PATH"], "HOME": str(home), "LANG": "C.UTF-8",
        "DEJAVU_DATA_HOME": str(data),
    }  # fmt: skip
    program = str(folder / "dejavu")
    questions = {
        "listed": [program, "list", "--json", "--limit", "1"],
        "found": [program, "search", "the", "--json", "--limit", "1"],
    }
    times: dict[str, float] = {}
    began = time.monotonic()
    sync = subprocess.Popen([program, "sync", "--json"], env=environment, stdout=subprocess.DEVNULL)
    while True:
        ended, _, usage = os.wait4(sync.pid, os.WNOHANG)
        for name, command in questions.items():
            if name not in times and answers(command, environment):
                times[name] = time.monotonic() - began
        if ended:
            sync.returncode = 0  # it was waited for
            times["ended"] = time.monotonic() - began
            times["cpu"] = usage.ru_utime + usage.ru_stime
            shutil.rmtree(data)
            return times
        time.sleep(0.2)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--base", type=Path, help="another checkout, with its .venv")
    parser.add_argument("--megabytes", type=float, default=200)
    parser.add_argument("--runs", type=int, default=5)
    options = parser.parse_args()
    programs = {"ours": Path(sys.executable).parent}
    if options.base:
        programs["base"] = options.base.absolute() / ".venv" / "bin"
    runs: dict[str, list[dict[str, float]]] = {name: [] for name in programs}
    with tempfile.TemporaryDirectory(prefix="dejavu-first-", dir="/var/tmp") as scratch:
        home = Path(scratch) / "home"
        for session in sessions(int(options.megabytes * 1e6)):
            path = home / session.path
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(b"".join(line for line, _ in session.lines()))
        for _ in range(options.runs):
            for name, folder in programs.items():
                runs[name].append(measure(folder, home, Path(scratch) / "data"))
    results = {
        name: {
            what: round(statistics.median(one[what] for one in taken), 2)
            for what in ("listed", "found", "ended", "cpu")
        }
        for name, taken in runs.items()
    }
    print(json.dumps({"seconds": results, "load": round(os.getloadavg()[0], 1)}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
