"""How much memory and CPU the observer takes for an agent that prints without end.

    python -m benchmarks.sessions.observer_memory [--lines N] [--rate LINES_PER_SECOND] [--stream]

Prints JSON: for `--screen` and without, the peak resident and proportional memory (RSS, PSS, MB)
of the observer's process over N lines (default a million) of a scripted agent, that of the indexer
that it becomes at the end, the CPU seconds of both, and how many of the exchanges that were drawn
stand in the archive afterwards, whole. The frames are
written to the observer as the wrapper writes them, as fast as it reads them (or at `--rate`), so
nothing is dropped on the way. `--stream` feeds a headless agent's JSON lines instead. Aim: 60 MB.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from dejavu.archive import Archive
from dejavu.capsule import Exit, Header, Output, encode
from dejavu.sessions import session_store

ANSWER = 58
"""Rows of an answer: with its prompt and the blank rows between, about 60 lines an exchange."""

BOX = "─" * 80 + "\r\n❯ \r\n" + "─" * 80 + "\r\n  ? for shortcuts"
CLEAR_BOX = "\r\x1b[3A\x1b[J"


def exchanges(lines: int) -> Iterator[bytes]:
    """Yield what a scripted agent draws: exchange after exchange above its input box."""
    yield BOX.encode()
    for number in range(lines // (ANSWER + 3)):
        rows = [f"❯ question {number} of many?", "", f"● Answer {number} begins here."]
        rows += [
            f"  row {row} of answer {number}, as long as such rows are" for row in range(ANSWER - 1)
        ]
        yield (CLEAR_BOX + "\r\n".join([*rows, "", BOX])).encode()


def records(lines: int) -> Iterator[bytes]:
    """Yield the JSON lines of a headless agent: one message a line."""
    yield _line(
        {"type": "system", "subtype": "init", "session_id": "s-1", "cwd": "/w", "model": "m"}
    )
    for number in range(lines):
        text = f"Message {number}: as long as such messages are, more or less, in real sessions."
        message = {"id": f"m{number}", "role": "assistant", "model": "m",
                   "content": [{"type": "text", "text": text}]}  # fmt: skip
        yield _line({"type": "assistant", "session_id": "s-1", "message": message})
    yield _line({"type": "result", "subtype": "success", "session_id": "s-1", "result": "done"})


def _line(record: dict[str, Any]) -> bytes:
    return json.dumps(record).encode() + b"\n"


def memory(pid: int) -> tuple[float, float]:
    """Return a process's resident and proportional memory in MB; zeros once it is gone."""
    try:
        fields = Path(f"/proc/{pid}/smaps_rollup").read_text().split("\n")
    except OSError:
        return 0.0, 0.0
    sizes = {row.split(":")[0]: int(row.split()[1]) / 1024 for row in fields[1:] if row}
    return sizes["Rss"], sizes["Pss"]


def is_indexer(pid: int) -> bool:
    """Whether the session is over, and its observer has become the indexer."""
    try:
        return b"index_archive" in Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return False


def observe(scratch: str, lines: int, rate: float, *, screen: bool, stream: bool) -> dict[str, Any]:
    """Run one observer over one session, in a home of its own."""
    os.environ["HOME"] = scratch
    os.environ.update({f"DEJAVU_{kind}_HOME": scratch for kind in ("STATE", "DATA", "CONFIG")})
    started = time.time()
    agent = "claude" if stream else "demo"
    session = session_store.SessionHeader(
        id="20260101-000000-aaaa", agent=agent, argv=[agent, "-p", "x"], workspace="/w",
        instance="local", name="n", wrapper_pid=1, wrapper_started=1, started_at=started,
        screen=screen,
    )  # fmt: skip
    folder = session_store.create(session)
    header = {
        **session._asdict(), "folder": str(folder), "mode": "direct" if stream else "headless",
        "columns": 80, "lines": 24, "pid": os.getpid(),
    }  # fmt: skip
    process = subprocess.Popen(
        [sys.executable, "-m", "dejavu.sessions.observer"],
        stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, cwd=scratch,
    )  # fmt: skip
    assert process.stdin is not None
    peaks: dict[str, list[float]] = {"observer": [0.0, 0.0], "indexer": [0.0, 0.0]}
    over = threading.Event()

    def watch() -> None:
        while not over.wait(0.1):
            peak = peaks["indexer" if is_indexer(process.pid) else "observer"]
            peak[:] = map(max, peak, memory(process.pid))

    watcher = threading.Thread(target=watch)
    watcher.start()
    process.stdin.write(encode(Header(header)))
    pieces, size, drawn = (records if stream else exchanges)(lines), 0, 0
    for number, data in enumerate(pieces):
        process.stdin.write(encode(Output(time.time(), data)))
        size += len(data)
        drawn += data.count(b"\n")
        if rate:
            process.stdin.flush()
            time.sleep(max(0.0, started + drawn / rate - time.time()))
        elif number == 0:
            process.stdin.flush()
    process.stdin.write(encode(Exit(time.time(), 0)))
    process.stdin.close()
    _, status, usage = os.wait4(process.pid, 0)
    over.set()
    watcher.join()
    return {
        "lines": drawn, "bytes": size, "exit": os.waitstatus_to_exitcode(status),
        "seconds": round(time.time() - started, 1),
        "cpu_seconds": round(usage.ru_utime + usage.ru_stime, 1),
        **{f"{name}_{kind}_mb": round(size, 1) for name, peak in peaks.items()
           for kind, size in zip(("rss", "pss"), peak, strict=True)},
        **archived(Path(scratch), lines, stream=stream),
    }  # fmt: skip


def archived(home: Path, lines: int, *, stream: bool) -> dict[str, Any]:
    """Count the turns in the archive; of a screen also those that hold what was drawn."""
    root = home / "archive"
    if not root.exists():
        return {"turns": 0, "exchanges": 0}
    turns = whole = 0
    with Archive.open(root) as archive:
        names = [summary.id for summary in archive.scan()]
        size = sum(path.stat().st_size for path in root.rglob("*") if path.is_file())
        for name in names:
            prompt = ""
            for turn in archive.turns(name):
                turns += 1
                if str(turn.role) == "user":
                    prompt = turn.text
                elif prompt.startswith("question "):
                    number = prompt.split()[1]
                    rows = turn.text.count(f"answer {number},")
                    whole += rows == ANSWER - 1
    drawn = lines + 1 if stream else lines // (ANSWER + 3)
    return {"turns": turns, "whole_exchanges": whole, "drawn": drawn, "conversations": len(names),
            "archive_mb": round(size / 1e6, 1)}  # fmt: skip


def main() -> None:
    """Print the figures of both ways."""
    options = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    options.add_argument("--lines", type=int, default=1_000_000)
    options.add_argument("--rate", type=float, default=0.0)
    options.add_argument("--stream", action="store_true")
    options.add_argument("--only", choices=("screen", "none"))
    asked = options.parse_args()
    os.environ.pop("DEJAVU_SESSION", None)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    ways = {"screen": [True], "none": [False]}.get(asked.only, [False, True])
    figures = {}
    for screen in ways if not asked.stream else [False]:
        with tempfile.TemporaryDirectory(prefix="observer") as scratch:
            name = "stream" if asked.stream else "with --screen" if screen else "without --screen"
            figures[name] = observe(
                scratch, asked.lines, asked.rate, screen=screen, stream=asked.stream
            )
    print(json.dumps(figures, indent=1))


if __name__ == "__main__":
    main()
