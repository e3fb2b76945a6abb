"""What `dejavu sync` costs, beside `jq -c .type` and `agentsview sync` on the same store.

Generates a home with Claude-like sessions, then runs, interleaved and as whole programs: a full
sync (raw, turns and search index), one with nothing changed, jq over the same files, and
agentsview's full and unchanged sync (a throw-away home of its own; its server is ended after each).
CPU is user + system of the program and its children, median of the rounds. Prints JSON.

    python -m benchmarks.ingest.sync [MEGABYTES] [ROUNDS]

agentsview is taken from AGENTSVIEW or the PATH, and left out where there is none.
"""

import json
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections import defaultdict
from pathlib import Path

from benchmarks.archive.corpus import sessions

DEJAVU = str(Path(sys.executable).parent / "dejavu")


def spent(command: list[str], env: dict[str, str]) -> float:
    """CPU seconds of a program."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def generate(home: Path, wanted: int) -> list[str]:
    files: list[str] = []
    for session in sessions(wanted):
        path = home / session.path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"".join(line for line, _ in session.lines()))
        files.append(str(path))
    return files


def size(root: Path) -> int:
    return sum(path.stat().st_size for path in root.rglob("*") if path.is_file())


def peer(program: str, env: dict[str, str], times: defaultdict[str, list[float]]) -> None:
    """The peer without its daemon: a full sync and one with nothing changed."""
    times["agentsview_full"].append(spent([program, "sync", "--full"], env))
    times["agentsview_unchanged"].append(spent([program, "sync"], env))


def ours(env: dict[str, str], times: defaultdict[str, list[float]], root: Path) -> None:
    times["sync_full"].append(spent([DEJAVU, "sync", "--json"], env))
    # What is not indexed yet is indexed by the first search: it belongs to a full sync.
    times["first_search"].append(spent([DEJAVU, "search", "budget", "--json"], env))
    times["sync_unchanged"].append(spent([DEJAVU, "sync", "--json"], env))
    times["size"].append(size(root))


def main() -> None:
    wanted = int(float(sys.argv[1]) * 1e6) if len(sys.argv) > 1 else 50_000_000
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 3
    times: defaultdict[str, list[float]] = defaultdict(list)
    with tempfile.TemporaryDirectory(prefix="dejavu-bench-", dir="/var/tmp") as scratch:
        folder = Path(scratch)
        home = folder / "home"
        files = generate(home, wanted)
        total = sum(Path(path).stat().st_size for path in files)
        plain = {"PATH": os.environ["PATH"], "HOME": str(home), "LANG": "C.UTF-8"}
        jq, view = shutil.which("jq"), os.environ.get("AGENTSVIEW") or shutil.which("agentsview")
        for number in range(rounds):
            root = folder / f"ours{number}"
            if jq:
                times["jq"].append(spent([jq, "-c", ".type", *files], plain))
            ours({**plain, "DEJAVU_DATA_HOME": str(root)}, times, root)
            shutil.rmtree(root)
            if view:
                data = folder / f"view{number}"
                env = {**plain, "AGENTSVIEW_DATA_DIR": str(data), "AGENTSVIEW_NO_DAEMON": "1"}
                peer(view, env, times)
                shutil.rmtree(data, ignore_errors=True)
    stored = times.pop("size")
    cpu = {name: statistics.median(seen) for name, seen in times.items()}
    pairs = [
        ("sync_full", "jq"), ("sync_full", "agentsview_full"),
        ("sync_unchanged", "agentsview_unchanged"),
    ]  # fmt: skip
    ratios = {f"{a} / {b}": round(cpu[a] / cpu[b], 3) for a, b in pairs if b in cpu}
    print(
        json.dumps(
            {
                "raw_bytes": total,
                "sessions": len(files),
                "cpu_seconds": {name: round(value, 3) for name, value in cpu.items()},
                "ratios": ratios,
                "archive_and_index_share_of_raw": round(statistics.median(stored) / total, 4),
                "load": round(os.getloadavg()[0], 1),
            }
        )
    )


if __name__ == "__main__":
    main()
