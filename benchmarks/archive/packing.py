"""What it costs to pack old sessions, and what room and searches take afterwards.

    python -m benchmarks.archive.packing [--megabytes 50] [--age 60 400]

Generates Claude-like sessions (`corpus.py`), archives them, and packs them as if nothing had been
said for each age in turn, in days: from a month on at one level, from a year on at a harder one.
Prints JSON: for each age CPU seconds for 100 MB of raw, and the raw bytes' room as a share of what
they are; before and after each also CPU milliseconds of a search with 20 hits (the least of five
for each question, mean over questions). O(bytes); 50 MB take half a minute.
"""

import argparse
import json
import os
import statistics
import tempfile
import time
from pathlib import Path
from typing import Any

from benchmarks.archive.corpus import sessions
from benchmarks.archive.storage import batches

from dejavu.archive import Archive
from dejavu.archive.maintenance.pack import DAY, pack_old

QUESTIONS = ("retry socket", "encoding error", "parse header", "thread lock", "value", "file name")
TURNS = 5  # times each question is asked


def fill(archive: Archive, size: int) -> tuple[int, float]:
    """Archive sessions of so many bytes in all; (bytes of raw, when the last was written)."""
    total, last = 0, 0.0
    with archive.indexing():
        for session in sessions(size):
            lines = list(session.lines())
            data = b"".join(line for line, _ in lines)
            turns = [turn for _, turn in lines if turn is not None]
            for batch in batches([(session.path, session.summary(), data, turns)]):
                archive.commit(batch)
            total += len(data)
            last = max([last, *(turn.at or 0.0 for turn in turns)])
    return total, last


def room(archive: Archive) -> int:
    """Bytes of the stored raw, with the pages that hold them."""
    values = archive.backend.read(lambda txn: [len(value) for _, value in txn.items("raw")])
    return sum(-(-(size + 16) // 4096) * 4096 for size in values)


def search_ms(archive: Archive) -> float:
    """CPU milliseconds of a search with 20 hits."""
    least: list[float] = []
    for text in QUESTIONS:
        taken: list[float] = []
        for _ in range(TURNS):
            start = time.process_time()
            archive.search(text, limit=20)
            taken.append(time.process_time() - start)
        least.append(min(taken))
    return round(1e3 * statistics.mean(least), 2)


def measure(root: Path, size: int, ages: list[float]) -> dict[str, Any]:
    """All figures of one archive."""
    with Archive.open(root) as archive:
        total, last = fill(archive, size)
        new = {"share_of_raw": round(room(archive) / total, 4), "search_cpu_ms": search_ms(archive)}
        packed: dict[str, Any] = {}
        for age in sorted(ages):
            start = time.process_time()
            done = pack_old(archive.backend, budget=1 << 50, now=last + age * DAY)
            spent = time.process_time() - start
            packed[f"{age:g}"] = {
                "cpu_seconds_for_100_mb": round(1e8 * spent / max(1, done.raw_bytes), 2),
                "bytes": done.raw_bytes,
                "share_of_raw": round(room(archive) / total, 4),
                "search_cpu_ms": search_ms(archive),
            }
    return {"bytes": total, "new": new, "age": packed}


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--megabytes", type=float, default=50.0)
    parser.add_argument("--age", type=float, nargs="+", default=[60.0, 400.0], help="days")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="dejavu-packing-") as scratch:
        found = measure(Path(scratch) / "archive", int(given.megabytes * 1e6), given.age)
    print(json.dumps({**found, "load": round(os.getloadavg()[0], 1)}, indent=1))


if __name__ == "__main__":
    main()
