"""CPU of `dejavu search` where it has to catch up first, beside one that is told not to look.

    python -m benchmarks.ingest.catch_up [--sources 10000] [--megabytes 200] [--runs 5]

Two generated homes: many small Claude sessions, synced, of which none or one changed since; and a
history of some megabytes that nobody synced. `look_alone` is the CPU inside a process of a look at
sessions of which none changed: what every search pays. `one_changed` stands beside `unchanged`.
CPU is user + system of the whole program, interleaved, median of the runs; wall stands beside it
where the bound is one of time. Prints JSON. O(runs x history).
"""

import argparse
import json
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from pathlib import Path

from benchmarks.archive.corpus import sessions

DEJAVU = str(Path(sys.executable).parent / "dejavu")
LINE = {
    "type": "user", "sessionId": "", "cwd": "/work/x", "version": "2.1.330", "uuid": "",
    "timestamp": "2026-11-21T10:00:00.000Z", "message": {"role": "user", "content": ""},
}  # fmt: skip


def spent(command: list[str], env: dict[str, str]) -> tuple[float, float, str]:
    """CPU and wall seconds of a program, and what it printed."""
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    done = subprocess.run(command, env=env, capture_output=True, check=True, text=True)
    wall, after = time.monotonic() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return cpu, wall, done.stdout


_LOOK = """
import os, time
from dejavu.archive.access import open_archive
from dejavu.ingest.catch_up import catch_up
with open_archive() as archive:
    before = time.process_time()
    catch_up(archive)
    print(time.process_time() - before)
"""


_CURRENT = """
import os
from dejavu.archive.access import open_archive
from dejavu.ingest.catch_up import is_current
from dejavu.ingest.sources.record import load_snapshot
with open_archive() as archive:
    print(is_current(archive, load_snapshot(archive.root, os.environ)))
"""


def environment(home: Path, data: Path) -> dict[str, str]:
    return {
        "PATH": os.environ["PATH"], "HOME": str(home), "LANG": "C.UTF-8",
        "DEJAVU_DATA_HOME": str(data),
    }  # fmt: skip


def write_line(path: Path, name: str, number: int, text: str) -> None:
    """One prompt more in a session."""
    message = {"role": "user", "content": text}
    line = {**LINE, "sessionId": name, "uuid": f"{name}-{number}", "message": message}
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a") as file:
        file.write(json.dumps(line) + "\n")


def many(home: Path, count: int) -> list[Path]:
    paths: list[Path] = []
    for number in range(count):
        name = f"00000000-0000-4000-8000-{number:012}"
        path = home / f".claude/projects/-work-{number % 40}/{name}.jsonl"
        write_line(path, name, 0, f"prompt {number}")
        paths.append(path)
    return paths


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--sources", type=int, default=10_000)
    parser.add_argument("--megabytes", type=float, default=200)
    parser.add_argument("--runs", type=int, default=5)
    options = parser.parse_args()
    cpu: defaultdict[str, list[float]] = defaultdict(list)
    wall: defaultdict[str, list[float]] = defaultdict(list)
    search = [DEJAVU, "search", "prompt", "--json", "--limit", "1"]

    def take(name: str, env: dict[str, str], command: list[str] = search) -> str:
        used, lasted, text = spent(command, env)
        cpu[name].append(used)
        wall[name].append(lasted)
        return text

    with tempfile.TemporaryDirectory(prefix="dejavu-catch-up-", dir="/var/tmp") as scratch:
        home, data = Path(scratch) / "many", Path(scratch) / "data"
        paths = many(home, options.sources)
        env = environment(home, data)
        spent([DEJAVU, "sync", "--json"], env)
        time.sleep(16)  # until nothing counts as changing still
        while spent([sys.executable, "-c", _CURRENT], env)[2].strip() != "True":
            spent(search, env)  # what the sync itself saw change is looked at again
        for number in range(options.runs):
            take("unchanged", env)
            look = spent([sys.executable, "-c", _LOOK], env)[2]
            cpu["look_alone"].append(float(look))
            wall["look_alone"].append(float(look))
            write_line(paths[number], paths[number].stem, 1, f"zeppelin{number}")
            text = take("one_changed", env, [DEJAVU, "search", f"zeppelin{number}", "--json"])
            assert json.loads(text)["hits"], "what was just written was not found"
            time.sleep(16)
            while spent([sys.executable, "-c", _CURRENT], env)[2].strip() != "True":
                spent(search, env)
        home = Path(scratch) / "unsynced"
        for session in sessions(int(options.megabytes * 1e6)):
            path = home / session.path
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(b"".join(line for line, _ in session.lines()))
        extents: list[object] = []
        for _ in range(options.runs):
            shutil.rmtree(data)
            answer = json.loads(take("never_synced", environment(home, data)))
            extents.append(answer["partial"])
    milliseconds = {
        name: {
            "cpu": round(1000 * statistics.median(cpu[name])),
            "wall": round(1000 * statistics.median(wall[name])),
        }
        for name in cpu
    }
    print(
        json.dumps(
            {
                "sources": options.sources,
                "milliseconds": milliseconds,
                "partial": extents[-1],
                "load": round(os.getloadavg()[0], 1),
            }
        )
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
