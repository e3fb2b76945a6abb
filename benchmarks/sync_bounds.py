"""What `dejavu sync` may cost at the most: bytes read, memory, and files opened.

Three stores of Claude-like sessions, each synced by a child: one of a hundred megabytes that gets
one more line (bytes read of it), one of gigabytes with a line of seventy megabytes (the child's
peak memory, raw, turns and index included), and ten thousand small ones of which none changed
(files opened below the home, and files looked at). Prints JSON.

    python benchmarks/sync_bounds.py [--gigabytes 3] [--line 70] [--files 10000]
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import uuid
from pathlib import Path

from archive_corpus import Session
from providers_memory import build

LINE = b'{"type":"user","uuid":"u-1","message":{"role":"user","content":"one more thing"}}\n'

CHILD = """
import json, os, resource, sys, time
from pathlib import Path
home, root = Path(sys.argv[1]), sys.argv[2]
read, opened = [0], []
given = os.pread
def pread(descriptor, length, offset):
    data = given(descriptor, length, offset)
    read[0] += len(data)
    return data
os.pread = pread
def heard(event, arguments):
    if event == "open" and str(arguments[0]).startswith(str(home)):
        opened.append(arguments[0])
from dejavu.archive import Archive
from dejavu.providers import Home
from dejavu.ingest.sync import sync_homes
sys.addaudithook(heard)
start = time.process_time()
with Archive.open(root) as archive:
    report = sync_homes(archive, [Home(home, {}, "x")])
print(json.dumps({
    "sources": report.sources, "news": report.read, "bytes": report.bytes, "bytes_read": read[0],
    "files_opened": len(opened), "cpu_seconds": round(time.process_time() - start, 2),
    "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
}))
"""


def sync(home: Path, root: Path) -> dict[str, object]:
    """What the child says that a sync did."""
    command = [sys.executable, "-c", CHILD, str(home), str(root)]
    told = subprocess.run(command, check=True, capture_output=True, text=True)
    found: dict[str, object] = json.loads(told.stdout)
    return found


def one_more_line(folder: Path) -> dict[str, object]:
    session = Session(1, 100_000_000)
    path = folder / "home" / session.path
    path.parent.mkdir(parents=True)
    with path.open("wb") as file:
        for line, _ in session.lines():
            file.write(line)
    sync(folder / "home", folder / "archive")
    with path.open("ab") as file:
        file.write(LINE)
    return {**sync(folder / "home", folder / "archive"), "line_bytes": len(LINE)}


def long_line(folder: Path, gigabytes: float, line: int) -> dict[str, object]:
    project = folder / "home" / ".claude" / "projects" / "-p"
    project.mkdir(parents=True)
    path = build(project, gigabytes, line)
    for part in project.glob("*.part"):
        part.unlink()
    told = sync(folder / "home", folder / "archive")
    path.unlink()
    return told


def unchanged(folder: Path, count: int) -> dict[str, object]:
    project = folder / "home" / ".claude" / "projects" / "-p"
    project.mkdir(parents=True)
    for number in range(count):
        name = uuid.UUID(int=number + (4 << 76) + (8 << 60))
        (project / f"{name}.jsonl").write_bytes(LINE.replace(b"u-1", b"u-%d" % number))
    sync(folder / "home", folder / "archive")
    return sync(folder / "home", folder / "archive")


def main() -> None:
    options = argparse.ArgumentParser()
    options.add_argument("--gigabytes", type=float, default=3.0)
    options.add_argument("--line", type=int, default=70)
    options.add_argument("--files", type=int, default=10_000)
    given = options.parse_args()
    result: dict[str, object] = {}
    with tempfile.TemporaryDirectory(prefix="dejavu-bench-", dir="/var/tmp") as scratch:
        for name in ("one_more_line", "long_line", "unchanged"):
            (Path(scratch) / name).mkdir()
        result["one_more_line"] = one_more_line(Path(scratch) / "one_more_line")
        result["unchanged"] = unchanged(Path(scratch) / "unchanged", given.files)
        result["long_line"] = long_line(Path(scratch) / "long_line", given.gigabytes, given.line)
    result["load"] = round(os.getloadavg()[0], 1)
    print(json.dumps(result, indent=1))


if __name__ == "__main__":
    main()
