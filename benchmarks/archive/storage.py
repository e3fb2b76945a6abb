"""What it costs to keep 200 MB of sessions, beside `jq -c .type` on the same files.

Generates a store of Claude-like sessions, then commits it (raw, turns, cursors) with the search
index fed from memory, as `sync` does; parsing is not part of it: the turns come ready. Also: the
index made afterwards from the store, reading every conversation back, and one appended line.
CPU is user + system; interleaved, median of the rounds. Prints JSON.

    python -m benchmarks.archive.storage [MEGABYTES] [ROUNDS]
"""

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
from collections.abc import Callable
from functools import partial
from pathlib import Path

from benchmarks.archive.corpus import sessions

from dejavu.archive import Archive, Batch, RawDelta, TurnUpdate
from dejavu.model import Conversation, Role, Text, Turn

PER_COMMIT = 8_000_000  # bytes of raw a batch

Session = tuple[str, Conversation, bytes, list[Turn]]


def cpu(who: int) -> float:
    usage = resource.getrusage(who)
    return usage.ru_utime + usage.ru_stime


def spent(work: Callable[[], object], who: int = resource.RUSAGE_SELF) -> float:
    start = cpu(who)
    work()
    return cpu(who) - start


def batches(given: list[Session]) -> list[Batch]:
    made: list[Batch] = []
    raw: dict[str, list[RawDelta]] = {}
    updates: list[TurnUpdate] = []
    for path, summary, data, turns in given:
        raw[path] = [RawDelta(0, data)]
        updates.append(TurnUpdate(summary, 0, turns, path))
        if sum(len(delta.data) for (delta,) in raw.values()) >= PER_COMMIT:
            made.append(Batch(raw, updates, dict.fromkeys(raw, b"x")))
            raw, updates = {}, []
    made.append(Batch(raw, updates, dict.fromkeys(raw, b"x")))
    return made


def commit(root: Path, given: list[Batch], *, index: bool) -> None:
    with Archive.open(root) as archive:
        if index:
            with archive.indexing():
                for batch in given:
                    archive.commit(batch)
        else:
            for batch in given:
                archive.commit(batch)


def peer(jq: str, files: list[str]) -> None:
    subprocess.run([jq, "-c", ".type", *files], stdout=subprocess.DEVNULL, check=True)


def read(root: Path) -> None:
    with Archive.open(root) as archive:
        for conversation in archive.scan():
            archive.get(conversation.id)


def size(root: Path) -> int:
    return sum(path.stat().st_size for path in root.rglob("*") if path.is_file())


def append_one(root: Path, given: Session, times: int = 50) -> float:
    """Milliseconds (median) until one appended line and its turn are durable."""
    path, summary, data, turns = given
    line = b'{"type":"user","message":{"content":"and one more thing"}}\n'
    offset, count, taken = len(data), len(turns), []
    with Archive.open(root) as archive:
        for n in range(times):
            turn = Turn(role=Role.USER, parts=(Text(f"and one more thing {n}"),))
            batch = Batch(
                {path: [RawDelta(offset, line)]}, [TurnUpdate(summary, count, [turn], path)]
            )
            start = time.perf_counter()
            archive.commit(batch)
            taken.append(time.perf_counter() - start)
            offset, count = offset + len(line), count + 1
    return statistics.median(taken) * 1e3


def main() -> None:
    wanted = int(float(sys.argv[1]) * 1e6) if len(sys.argv) > 1 else 200_000_000
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 5
    with tempfile.TemporaryDirectory(prefix="dejavu-bench-") as scratch:
        folder = Path(scratch)
        given: list[Session] = []
        files: list[str] = []
        for n, session in enumerate(sessions(wanted)):
            lines = list(session.lines())
            data = b"".join(line for line, _ in lines)
            given.append((session.path, session.summary(), data, [t for _, t in lines if t]))
            files.append(str(folder / f"{n}.jsonl"))
            Path(files[-1]).write_bytes(data)
        total = sum(len(data) for _, _, data, _ in given)
        made = batches(given)
        jq = shutil.which("jq")
        times: defaultdict[str, list[float]] = defaultdict(list)
        shares: dict[str, float] = {}
        for n in range(rounds):
            if jq:
                times["jq"].append(spent(partial(peer, jq, files), resource.RUSAGE_CHILDREN))
            plain, indexed = folder / f"plain{n}", folder / f"indexed{n}"
            times["commit"].append(spent(partial(commit, plain, made, index=False)))
            times["commit_and_index"].append(spent(partial(commit, indexed, made, index=True)))
            shares = {"archive": size(plain) / total, "archive_and_index": size(indexed) / total}
            times["read"].append(spent(partial(read, indexed)))
            append_ms = append_one(plain, given[0])
            with Archive.open(plain) as archive:
                times["index_afterwards"].append(spent(archive.update_index))
            shutil.rmtree(plain)
            shutil.rmtree(indexed)
        median = {name: statistics.median(seen) for name, seen in times.items() if seen}
        print(
            json.dumps(
                {
                    "raw_bytes": total,
                    "turns": sum(len(turns) for *_, turns in given),
                    "cpu_seconds": {name: round(value, 3) for name, value in median.items()},
                    "ratio_to_jq": {
                        name: round(median[name] / median["jq"], 3)
                        for name in ("commit", "commit_and_index")
                        if "jq" in median
                    },
                    "share_of_raw": {name: round(value, 4) for name, value in shares.items()},
                    "append_one_line_ms": round(append_ms, 2),
                    "load": round(os.getloadavg()[0], 1),
                }
            )
        )


if __name__ == "__main__":
    main()
