"""A team's archive on PostgreSQL beside the same archive in LMDB, in one run.

Generates Claude-like sessions, commits them to both (raw, turns, cursors; no index), makes the
search index from each, lists, reads every conversation, searches, and appends one line at a time.
The server runs beside us with fsync as LMDB has it, so there is no network between. Wall seconds,
because the server's work is not ours; interleaved, median of the rounds; ratios above 1 mean
PostgreSQL takes longer. Prints JSON.

    python -m benchmarks.teams.postgres [MEGABYTES] [ROUNDS]
"""

import json
import os
import statistics
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable
from functools import partial
from pathlib import Path

from benchmarks.archive.corpus import sessions
from benchmarks.archive.storage import append_one, batches, commit, read
from tests.postgres import Missing, Server

from dejavu.archive import Archive


def spent(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def listed(place: Path | str) -> None:
    with Archive.open(place, create=False) as archive:
        for _ in archive.scan(limit=50):
            pass


def indexed(place: Path | str) -> None:
    with Archive.open(place, create=False) as archive:
        archive.update_index()


def searchable(place: Path | str) -> None:
    with Archive.open(place, create=False) as archive:
        for query in ("socket", "parser error", "thread lock", "path", "encoding"):
            archive.search(query)


def main() -> None:
    wanted = int(float(sys.argv[1]) * 1e6) if len(sys.argv) > 1 else 20_000_000
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 5
    given = []
    for session in sessions(wanted):
        lines = list(session.lines())
        data = b"".join(line for line, _ in lines)
        given.append((session.path, session.summary(), data, [turn for _, turn in lines if turn]))
    made = batches(given)
    times: defaultdict[str, defaultdict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    sizes: dict[str, int] = {}
    try:
        server = Server({"fsync": "on", "full_page_writes": "on"})
    except Missing as why:
        print(json.dumps({"left out": str(why)}))
        return
    try:
        with tempfile.TemporaryDirectory(prefix="dejavu-bench-") as scratch:
            os.environ["DEJAVU_DATA_HOME"] = scratch
            for n in range(rounds):
                places: dict[str, Path | str] = {
                    "lmdb": Path(scratch) / f"round{n}",
                    "postgresql": server.url(schema=server.new_schema()),
                }
                for name, place in places.items():
                    Archive.open(place).close()
                    taken = times[name]
                    taken["commit"].append(spent(partial(commit, place, made, index=False)))
                    taken["index"].append(spent(partial(indexed, place)))
                    taken["list_50"].append(spent(partial(listed, place)))
                    taken["read_all"].append(spent(partial(read, place)))
                    taken["search_5"].append(spent(partial(searchable, place)))
                    taken["append_one"].append(append_one(place, given[0], 20) / 1e3)
                    with Archive.open(place) as archive:
                        sizes[name] = archive.backend.size()
    finally:
        server.stop()
    median = {
        store: {name: statistics.median(seen) for name, seen in kinds.items()}
        for store, kinds in times.items()
    }
    raw = sum(len(data) for _, _, data, _ in given)
    print(
        json.dumps(
            {
                "raw_bytes": raw,
                "conversations": len(given),
                "wall_seconds": {
                    store: {name: round(value, 4) for name, value in kinds.items()}
                    for store, kinds in median.items()
                },
                "postgresql_to_lmdb": {
                    name: round(value / median["lmdb"][name], 2)
                    for name, value in median["postgresql"].items()
                },
                "share_of_raw": {name: round(size / raw, 4) for name, size in sizes.items()},
                "load": round(os.getloadavg()[0], 1),
            }
        )
    )


if __name__ == "__main__":
    main()
