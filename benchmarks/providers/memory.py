"""How much memory a huge session costs: gigabytes of lines, one of them tens of megabytes long.

Generates such a file (sparse in ideas, not on disk), follows and parses it in a child, and prints
the child's peak as JSON. `--gigabytes 3 --line 70` is the case that users reported.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks import ROOT
from benchmarks.providers.speed import generate

NATIVE = "11111111-1111-4111-8111-111111111111"


def build(folder: Path, gigabytes: float, line: int) -> Path:
    """The file: many sessions' worth of lines under new ids, the long line in the middle."""
    part, path = folder / f"{NATIVE}.part", folder / f"{NATIVE}.jsonl"
    generate(part, 20)
    lines = part.read_bytes()
    with path.open("wb") as file:
        for number in range(max(2, int(gigabytes * 1e9 / len(lines)))):
            if number == 1:
                progress = {
                    "type": "user",
                    "message": {"role": "user", "content": "x" * line * 1_000_000},
                }
                file.write(json.dumps(progress).encode() + b"\n")
            # Each round has uuids of its own: eight of their digits are the round's number.
            file.write(lines.replace(b'"uuid": "', b'"uuid": "%08x' % number))
    part.unlink()
    return path


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--gigabytes", type=float, default=0.2)
    options.add_argument("--line", type=int, default=70, help="megabytes")
    given = options.parse_args()
    with tempfile.TemporaryDirectory(dir="/var/tmp") as folder:
        path = build(Path(folder), given.gigabytes, given.line)
        start = time.monotonic()
        command = [sys.executable, "-m", "benchmarks.providers.speed", "--parse"]
        shown = subprocess.run(
            [*command, str(path)], cwd=ROOT, capture_output=True, check=True
        ).stdout
        told = json.loads(shown)
        report = {
            "megabytes": round(path.stat().st_size / 1e6),
            "line_megabytes": given.line,
            "peak_mb": round(told["peak_kib"] / 1024),
            "turns": told["turns"],
            "seconds": round(time.monotonic() - start, 1),
        }
    print(json.dumps(report, indent=1))


if __name__ == "__main__":
    main()
