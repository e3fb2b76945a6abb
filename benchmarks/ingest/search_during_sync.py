"""Searches while the first sync runs: how long they take, and what they cost the sync.

    python -m benchmarks.ingest.search_during_sync [--megabytes 200] [--a-second 5]

A home of Claude-like sessions is synced into an empty archive three times: without a search, then
`dejavu search` is run so many times a second, then a process that stays asks as often
(`Archive.search`, as an editor's server or the page does). Prints JSON: wall and CPU seconds of each
sync, and by how much it was slower than the first; of the searches how many there were, and the
median and 95th percentile of their wall and CPU milliseconds. Aim: 300 ms, and a sync that is
at most 20 % slower. O(bytes); 200 MB take a minute on two idle cores.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

from benchmarks.ingest.growth import DEJAVU, Step, generate, run

WORDS = ("budget", "retry socket", "encoding error", "parse header", "thread lock")

Taken = list[tuple[float, float]]
"""Wall and CPU seconds of each search."""

ASKER = """
import json, sys, time
from pathlib import Path
from dejavu.archive import Archive
from dejavu.model import ArchiveError
root, words, step, end = Path(sys.argv[1]), json.loads(sys.argv[2]), float(sys.argv[3]), Path(sys.argv[4])
while not (root / "data.mdb").exists() and not end.exists():
    time.sleep(0.05)
taken, at, number, archive = [], time.monotonic(), 0, None
while not end.exists():
    began, cpu = time.perf_counter(), time.process_time()
    try:
        archive = archive or Archive.open(root, readonly=True)
        archive.search(words[number % len(words)], limit=5)
        taken.append((time.perf_counter() - began, time.process_time() - cpu))
    except ArchiveError:
        archive = None
    number += 1
    at = max(at + step, time.monotonic() - step)
    time.sleep(max(0.0, at - time.monotonic()))
print(json.dumps(taken))
"""


def by_command(env: dict[str, str], step: float, over: threading.Event, taken: Taken) -> None:
    """Run `dejavu search` again and again, one at a time."""
    number, due = 0, time.monotonic()
    while not over.is_set():
        begun = run([DEJAVU, "search", WORDS[number % len(WORDS)], "--json", "--limit=5"], env)
        taken.append((begun.wall, begun.cpu))
        number += 1
        due = max(due + step, time.monotonic() - step)
        over.wait(max(0.0, due - time.monotonic()))


def by_process(env: dict[str, str], step: float, over: threading.Event, taken: Taken) -> None:
    """Let one process ask until the sync is over."""
    root = Path(env["DEJAVU_DATA_HOME"])
    end = root.with_name("over")
    arguments = [str(root / "archive"), json.dumps(WORDS), str(step), str(end)]
    with subprocess.Popen(
        [sys.executable, "-c", ASKER, *arguments], env=env, stdout=subprocess.PIPE
    ) as asker:
        over.wait()
        end.touch()
        output, _ = asker.communicate()
    taken += [(wall, cpu) for wall, cpu in json.loads(output)]


def sync(folder: Path, home: Path, asker: Any, step: float) -> tuple[Step, Taken]:
    """A first sync into an empty archive, while someone asks."""
    folder.mkdir()
    env = {
        "PATH": os.environ["PATH"], "HOME": str(home), "LANG": "C.UTF-8",
        "DEJAVU_DATA_HOME": str(folder / "data"), "DEJAVU_STATE_HOME": str(folder / "state"),
    }  # fmt: skip
    over, taken = threading.Event(), Taken()
    asking = threading.Thread(target=asker, args=(env, step, over, taken)) if asker else None
    if asking:
        asking.start()
    done = run([DEJAVU, "sync", "--json"], env)
    over.set()
    if asking:
        asking.join()
    return done, taken


def of_searches(taken: Taken) -> dict[str, float]:
    """The searches as JSON."""
    figures: dict[str, float] = {"searches": len(taken)}
    for name, column in zip(("wall", "cpu"), zip(*taken, strict=True), strict=False):
        milliseconds = sorted(1e3 * value for value in column)
        figures[f"{name}_p50_ms"] = round(statistics.median(milliseconds), 1)
        figures[f"{name}_p95_ms"] = round(milliseconds[int(0.95 * (len(milliseconds) - 1))], 1)
    return figures


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--megabytes", type=float, default=200.0)
    parser.add_argument("--a-second", type=float, default=5.0)
    parser.add_argument("--folder", default="/var/tmp", help="where there is room")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="dejavu-asked-", dir=given.folder) as scratch:
        folder = Path(scratch)
        total, _ = generate(folder / "home", int(given.megabytes * 1e6))
        figures: dict[str, Any] = {"bytes": total}
        alone = 0.0
        for name, asker in (("alone", None), ("command", by_command), ("process", by_process)):
            done, taken = sync(folder / name, folder / "home", asker, 1 / given.a_second)
            alone = alone or done.wall
            figures[name] = {
                "sync_wall_seconds": round(done.wall, 2), "sync_cpu_seconds": round(done.cpu, 2),
                "slower": round(done.wall / alone - 1, 3), **of_searches(taken),
            }  # fmt: skip
    print(json.dumps({**figures, "load": round(os.getloadavg()[0], 1)}, indent=1))


if __name__ == "__main__":
    main()
