"""How soon a reader sees what an agent does, in real time, through a real wrapped session.

    python -m benchmarks.sessions.status_latency [RECORDING.cast[=AGENT] ...]    (default: golden cases)

Prints JSON. Each recording is played at its own speed (pauses cut to `PAUSE` seconds) by a program
inside `dejavu-run --headless`, which notes when it wrote each piece. Offline, the same recording is
read piece by piece: the piece from which on the screen reads as a state, until the state is
published, completes that change. Latency is from that piece's write to the status file saying so,
as a reader sees it who looks every `LOOK` seconds. `observer_share` is the CPU time of the
observer per second of wall clock while an agent redraws a line 60 times a second, `quiet_share`
the same while nothing happens. Aims: p95 150 ms for blocked and working, 500 ms for idle; 5 %.
"""

import json
import os
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks import ROOT

from dejavu.capsule import Output, Recording, Resize
from dejavu.providers.registry import agent_of
from dejavu.scrapers import SessionReader, read
from dejavu.sessions import session_store as sessions

GOLDEN = ROOT / "golden"
LOOK = 0.002
PAUSE = 1.5
SECONDS = 10.0
AIMS = {"blocked": 0.150, "working": 0.150, "idle": 0.500}

# Plays (delay, text) pairs and notes the moment of each write.
PLAYER = """
import json, os, sys, time
pieces = json.load(open(sys.argv[1]))
moments = []
time.sleep(2.0)
for delay, text in pieces:
    if delay: time.sleep(delay)
    data = text.encode("utf-8", "surrogateescape")
    while data: data = data[os.write(1, data):]
    moments.append(time.time())
json.dump(moments, open(sys.argv[2], "w"))
time.sleep(2.5)
"""

REDRAW = """
import os, time
os.write(1, b"\\x1b[?1049h\\x1b[H")
rows = ["  text of an answer that fills a good part of the row, as answers do"] * 30
os.write(1, "\\r\\n".join(rows).encode())
print(flush=True)
time.sleep(3)
start = time.monotonic()
for n in range(int(60 * SECONDS)):
    os.write(1, f"\\x1b[33;1H{'✢✳✶✻✽·'[n % 6]} Pondering… ({n // 60}s · ↓ {n} tokens)".encode())
    time.sleep(max(0, start + (n + 1) / 60 - time.monotonic()))
time.sleep(1)
"""


class Change(NamedTuple):
    """A state, and the piece of output that completed it."""

    state: str
    piece: int
    published: int


def pieces_of(recording: Recording) -> list[tuple[float, str]]:
    """(seconds since the one before, text) of every piece of output."""
    pieces: list[tuple[float, str]] = []
    at = None
    for event in recording:
        if isinstance(event, Output):
            delay = 0.0 if at is None else min(PAUSE, max(0.0, event.at - at))
            pieces.append((delay, event.data.decode("utf-8", "surrogateescape")))
            at = event.at
        elif isinstance(event, Resize):
            return pieces  # a window that changes is another benchmark
    return pieces


def changes_of(agent: str, pieces: list[tuple[float, str]], size: tuple[int, int]) -> list[Change]:
    """What a reader publishes, each with the piece that completed it."""
    reader = SessionReader(agent, *size)
    verdicts: list[str] = []
    published: list[tuple[str, int]] = []
    at = 0.0
    for number, (delay, text) in enumerate(pieces):
        at += delay
        told = reader.output(text.encode("utf-8", "surrogateescape"), at)
        published += [(str(change.state), number - 1) for change in told]
        verdicts.append(str(read(agent, reader.terminal.snapshot()).state))
    while reader.due is not None and reader.due < at + 5:
        told = reader.tick(reader.due)
        published += [(str(change.state), len(pieces) - 1) for change in told]
    found: list[Change] = []
    for state, number in published:
        first = number
        while first > 0 and verdicts[first - 1] == state:
            first -= 1
        if state in AIMS and number >= 0 and verdicts[number] == state:
            found.append(Change(state, first, number))
    return found


def wrapped(agent: str, size: tuple[int, int], *command: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-m", "dejavu.interfaces.run", "--headless", "--agent", agent,
         "--size", "x".join(map(str, size)), "--", *command],
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip


def _settle_in(scratch: str) -> None:
    """A throw-away home: neither the user's agents' files nor their sessions are read."""
    os.environ.update({"HOME": scratch})
    os.environ.update({f"DEJAVU_{kind}_HOME": scratch for kind in ("STATE", "DATA", "CONFIG")})


def watched(stop: threading.Event, seen: list[tuple[float, str]]) -> None:
    """Note each state the newest session's status file shows, and when."""
    folder, last = None, ""
    while not stop.is_set():
        if folder is None:
            found = sessions.find_all()
            folder = found[0].folder if found else None
        else:
            state = sessions.read_json(folder / "status.json").get("state", "")
            if state and state != last:
                last = state
                seen.append((time.time(), state))
        time.sleep(LOOK)


def latencies(path: Path, agent: str) -> Iterator[tuple[str, float | None]]:
    """(state, seconds) of every change of one recording, played live; None: it was not seen."""
    recording = Recording(path)
    size = recording.columns or 80, recording.lines or 24
    pieces = pieces_of(recording)
    changes = changes_of(agent, pieces, size)
    with tempfile.TemporaryDirectory(prefix="latency") as scratch:
        _settle_in(scratch)
        plan, done = Path(scratch) / "plan.json", Path(scratch) / "moments.json"
        plan.write_text(json.dumps(pieces))
        stop, seen = threading.Event(), list[tuple[float, str]]()
        watcher = threading.Thread(target=watched, args=(stop, seen))
        watcher.start()
        wrapped(agent, size, sys.executable, "-c", PLAYER, str(plan), str(done)).wait()
        stop.set()
        watcher.join()
        moments: list[float] = json.loads(done.read_text())
    position = 0
    for change in changes:
        written = moments[change.piece]
        for index in range(position, len(seen)):
            at, state = seen[index]
            if state == change.state and at >= written - LOOK:
                position = index + 1
                yield change.state, at - written
                break
        else:
            yield change.state, None


def cpu_seconds(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def observer_of(wrapper: int) -> int:
    """The pid of a wrapper's observer."""
    for _ in range(200):
        for path in Path("/proc").glob("[0-9]*/stat"):
            try:
                parent = int(path.read_text().rpartition(")")[2].split()[1])
                command = (path.parent / "cmdline").read_bytes()
            except OSError:
                continue
            if parent == wrapper and b"sessions.observer" in command:
                return int(path.parent.name)
        time.sleep(0.05)
    raise SystemExit("no observer was started")


def share(command: str) -> float:
    """The observer's share of a core over `SECONDS` of what `command` draws."""
    with tempfile.TemporaryDirectory(prefix="latency") as scratch:
        _settle_in(scratch)
        process = wrapped("claude", (120, 40), sys.executable, "-c", command)
        observer = observer_of(process.pid)
        time.sleep(4)
        before, started = cpu_seconds(observer), time.monotonic()
        time.sleep(SECONDS - 2)
        used = cpu_seconds(observer) - before
        took = time.monotonic() - started
        process.wait()
        return used / took


def summary(values: list[float | None]) -> dict[str, Any]:
    ordered = sorted(value for value in values if value is not None)
    return {
        "changes": len(values),
        "missed": len(values) - len(ordered),
        "p50_ms": round(statistics.median(ordered) * 1000),
        "p95_ms": round(ordered[min(len(ordered) - 1, int(0.95 * len(ordered)))] * 1000),
        "worst_ms": round(ordered[-1] * 1000),
    }


def main() -> None:
    os.environ.pop("DEJAVU_SESSION", None)
    chosen: list[tuple[Path, str]] = []
    for word in sys.argv[1:]:
        name, _, agent = word.partition("=")
        chosen.append((Path(name), agent or agent_of(Recording(Path(name)).title.split())))
    if not chosen:
        chosen = [(path, path.parts[-3]) for path in sorted(GOLDEN.glob("*/*/session.cast"))]
    found: dict[str, list[float | None]] = {}
    for path, agent in chosen:
        for state, seconds in latencies(path, agent):
            found.setdefault(state, []).append(seconds)
        print(f"{path.parent.name}: played", file=sys.stderr)
    busy = f"SECONDS = {SECONDS}\n{REDRAW}"
    quiet = f"SECONDS = 0\n{REDRAW}time.sleep({SECONDS})"
    result = {
        "latency": {
            state: {**summary(values), "aim_ms": round(AIMS[state] * 1000)}
            for state, values in sorted(found.items())
        },
        "observer_share": round(share(busy), 4),
        "quiet_share": round(share(quiet), 4),
        "load": round(os.getloadavg()[0], 1),
    }
    print(json.dumps(result, indent=1))


if __name__ == "__main__":
    main()
