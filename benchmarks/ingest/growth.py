"""What a history costs as it grows: one first sync, and everything that makes every search work.

    python -m benchmarks.ingest.growth [--megabytes 200 1000 5000] [--folder /var/tmp] [--cold]

For each size a home of Claude-like sessions is generated (`archive/corpus.py`: the same bytes each
time on the same Python), synced into an empty archive by the installed command, and asked: by
words, letter by letter (`--exact`) and by `recall`. Prints JSON, for each size: seconds until a
word was found while the sync ran, and until it ended; CPU seconds of each step and of `jq -c .type`
on the same files; the peak memory of each step with its workers (PSS in MB, mapped pages of the
archive's own file apart); bytes on disk by part; CPU milliseconds of the same questions asked
again. With `--cold` also `gc` until nothing is left to pack, its cost, and the bytes after it.

Disk: the history and its archive, 1.4 times the largest size; one size at a time, each removed
before the next. O(bytes); 5 GB take half an hour of two cores.
"""

import argparse
import contextlib
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.archive.corpus import sessions

DEJAVU = str(Path(sys.executable).parent / "dejavu")
POLL = 0.2
WORDS = ("budget", "retry socket", "encoding error", "parse header", "thread lock")


@dataclass
class Peak:
    """The most that a program and its children held at one time, MB."""

    anonymous: float = 0.0
    mapped: float = 0.0

    def see(self, root: int) -> None:
        """Look once. O(processes of the machine)."""
        anonymous = mapped = 0.0
        for pid in _tree(root):
            with contextlib.suppress(OSError, ValueError, KeyError):
                rows = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()[1:]
                sizes = {row.split(":")[0]: int(row.split()[1]) / 1024 for row in rows}
                anonymous += sizes["Pss_Anon"] + sizes["Pss_Shmem"]
                mapped += sizes["Pss_File"]
        self.anonymous = max(self.anonymous, anonymous)
        self.mapped = max(self.mapped, mapped)


@dataclass
class Step:
    """What one command took: CPU and wall seconds, memory, and what it printed."""

    cpu: float
    wall: float
    peak: Peak
    output: str

    def figures(self) -> dict[str, float]:
        """The step as JSON."""
        return {
            "cpu_seconds": round(self.cpu, 3), "wall_seconds": round(self.wall, 2),
            "memory_mb": round(self.peak.anonymous), "mapped_mb": round(self.peak.mapped),
        }  # fmt: skip


def _tree(root: int) -> list[int]:
    """A process and its descendants."""
    found, waiting = [], [root]
    while waiting:
        pid = waiting.pop()
        found.append(pid)
        with contextlib.suppress(OSError):
            for task in Path(f"/proc/{pid}/task").iterdir():
                waiting += map(int, (task / "children").read_text().split())
    return found


def run(command: list[str], env: dict[str, str]) -> Step:
    """Run a command to its end, its memory watched."""
    peak, over = Peak(), threading.Event()
    began = time.monotonic()
    with tempfile.TemporaryFile("w+") as output:
        process = subprocess.Popen(command, env=env, stdout=output, stderr=subprocess.DEVNULL)

        def watch() -> None:
            while not over.wait(POLL):
                peak.see(process.pid)

        watcher = threading.Thread(target=watch)
        watcher.start()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = code = os.waitstatus_to_exitcode(status)
        wall = time.monotonic() - began
        over.set()
        watcher.join()
        if code:
            raise SystemExit(f"{' '.join(command[:3])} ended with {code}")
        output.seek(0)
        printed = output.read(1 << 20)
    return Step(usage.ru_utime + usage.ru_stime, wall, peak, printed)


def first_hit(env: dict[str, str], over: threading.Event, found: list[float]) -> None:
    """Ask until a word is found; append the seconds it took."""
    began = time.monotonic()
    while not found and not over.is_set():
        done = subprocess.run(
            [DEJAVU, "search", "the", "--json", "--limit", "1"], env=env, capture_output=True
        )
        if done.returncode == 0 and json.loads(done.stdout)["hits"]:
            found.append(time.monotonic() - began)
        time.sleep(POLL)


def generate(home: Path, size: int) -> tuple[int, int]:
    """Write the history; (bytes, files)."""
    total = count = 0
    for session in sessions(size):
        path = home / session.path
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("wb") as file:
            total += sum(file.write(line) for line, _ in session.lines())
        count += 1
    return total, count


def parts(root: Path) -> dict[str, int]:
    """Bytes on disk by what they are for."""
    sizes = {"archive": 0, "words": 0, "exact": 0, "recall": 0, "other": 0}
    for path in root.rglob("*"):
        if not path.is_file():
            continue
        names = path.relative_to(root).parts
        kind = "other"
        if path.name == "data.mdb":
            kind = "archive"
        elif "exact" in names:
            kind = "exact"
        elif "search" in names:
            kind = "words"
        elif "recall" in names:
            kind = "recall"
        sizes[kind] += path.stat().st_blocks * 512
    return sizes


def again(env: dict[str, str]) -> dict[str, float]:
    """CPU milliseconds of a question, asked of an archive that is up to date (median of five)."""
    ways = {
        "search": ["search"], "exact": ["search", "--exact"], "recall": ["recall"],
    }  # fmt: skip
    return {
        name: round(
            1e3
            * statistics.median(run([DEJAVU, *words, text, "--json"], env).cpu for text in WORDS)
        )
        for name, words in ways.items()
    }


def cold(env: dict[str, str], root: Path) -> dict[str, Any]:
    """Pack everything, as if it were old, then shrink the file; the costs, and the bytes after."""
    pack = run([DEJAVU, "gc", "--all", "--pack-after", "0", "--json"], env)
    shrink = run([DEJAVU, "gc", "--compact", "--json"], env)
    return {
        "pack": pack.figures(), "compact": shrink.figures(), "stored": parts(root),
        "question_cpu_ms": again(env),
    }  # fmt: skip


def measure(folder: Path, size: int, *, pack: bool) -> dict[str, Any]:
    """All figures of one size."""
    home, data = folder / "home", folder / "data"
    total, files = generate(home, size)
    env = {
        "PATH": os.environ["PATH"], "HOME": str(home), "LANG": "C.UTF-8",
        "DEJAVU_DATA_HOME": str(data), "DEJAVU_STATE_HOME": str(folder / "state"),
    }  # fmt: skip
    steps: dict[str, Step] = {}
    if jq := shutil.which("jq"):
        listed = folder / "files"
        listed.write_bytes(b"\0".join(bytes(p) for p in home.rglob("*.jsonl")))
        steps["jq"] = run(["xargs", "-0", "-a", str(listed), jq, "-c", ".type"], env)
    over, found = threading.Event(), list[float]()
    asker = threading.Thread(target=first_hit, args=(env, over, found))
    asker.start()
    steps["sync"] = run([DEJAVU, "sync", "--json"], env)
    over.set()
    asker.join()
    for name, words in _FIRST.items():
        steps[name] = run([DEJAVU, *words, "--json"], env)
    everything = sum(steps[name].cpu for name in ("sync", *_FIRST))
    result: dict[str, Any] = {
        "bytes": total, "sessions": files,
        "first_hit_seconds": round(found[0], 2) if found else None,
        "steps": {name: step.figures() for name, step in steps.items()},
        "everything_cpu_seconds": round(everything, 2),
        "stored": parts(data),
    }  # fmt: skip
    if "jq" in steps:
        result["ratio_to_jq"] = {
            "sync": round(steps["sync"].cpu / steps["jq"].cpu, 2),
            "everything": round(everything / steps["jq"].cpu, 2),
        }
    result["share_of_raw"] = round(sum(result["stored"].values()) / total, 4)
    result["question_cpu_ms"] = again(env)
    if pack:
        result["cold"] = cold(env, data)
        result["cold"]["share_of_raw"] = round(sum(result["cold"]["stored"].values()) / total, 4)
    result["load"] = round(os.getloadavg()[0], 1)
    return result


_QUESTION = "which retry budget did we choose"
_FIRST = {
    "words": ["search", "budget"], "exact": ["search", "--exact", "retry_budget"],
    "recall": ["recall", _QUESTION], "unchanged": ["sync"],
}  # fmt: skip


def main() -> None:
    """Print the figures of every size."""
    options = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    options.add_argument("--megabytes", type=float, nargs="+", default=[200.0, 1000.0, 5000.0])
    options.add_argument("--folder", default="/var/tmp", help="where there is room")
    options.add_argument("--cold", action="store_true")
    given = options.parse_args()
    results: dict[str, Any] = {}
    for megabytes in given.megabytes:
        with tempfile.TemporaryDirectory(prefix="dejavu-growth-", dir=given.folder) as scratch:
            results[f"{megabytes:g}"] = measure(
                Path(scratch), int(megabytes * 1e6), pack=given.cold
            )
        print(json.dumps({f"{megabytes:g}": results[f"{megabytes:g}"]}), file=sys.stderr)
    print(json.dumps({"megabytes": results}))


if __name__ == "__main__":
    main()
