"""What an observer costs while a recorded session is played to it at ten frames a second.

    python benchmarks/observer_cpu.py [RECORDING.cast] [--frames N] [--peer PYTHON MODULE]
    python benchmarks/observer_cpu.py --spinner claude [--rounds 5] [--frames N] [--peer ...]

Prints JSON: CPU seconds of the observer's process until it is ready and for its first frames, its
share of a core while it reads the others, and the CPU seconds of its end (archiving, indexing),
without `--screen` and with it. Default: the golden recording of the demo agent, played over and
over, 300 frames. `--peer` runs the observer of another installation (its Python, its module) in
turn with this one's; figures are medians over `--rounds`. With `--spinner` the agent works all the
time and draws no more than its spinner and its clock, on a full screen of 120x40.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from itertools import cycle, islice
from pathlib import Path
from typing import Any

import scrapers_chrome as drawn

from dejavu.capsule import Exit, Header, Output, Recording, encode

RECORDING = Path(__file__).resolve().parent.parent / "golden/demo/tour/session.cast"
FRAME = 0.1
SIZE = 120, 40
GLYPHS = {"claude": "·✢✳✶✻✽", "codex": "•◦"}
FIRST = 15
"""Frames at the start that do not count for the share: rules are compiled when they are used."""
READY = 4.0
"""Seconds given to the observer to start."""


def cpu_seconds(pid: int) -> float:
    """The CPU seconds a process has used."""
    return int(Path(f"/proc/{pid}/schedstat").read_text().split()[0]) / 1e9


def spinner_frames(agent: str, count: int) -> list[bytes]:
    """The screen of a working agent, and its spinner's row drawn again and again."""
    drawn.COLUMNS, drawn.RULE = SIZE[0], "─" * SIZE[0]
    answer = [f"Row {number} of the answer says that all is well." for number in range(SIZE[1])]
    rows, title = drawn.AGENTS[agent](answer, "working")
    rows = rows[-SIZE[1] :]
    index, row = next((n, row) for n, row in enumerate(rows) if "(3s" in row)
    glyphs = GLYPHS[agent]
    screen = f"\x1b]0;{title}\a\x1b[?1049h\x1b[H" + "\r\n".join(rows)
    turned = [
        f"\x1b[{index + 1};1H{glyphs[n % len(glyphs)]}{row[1:]}\x1b[K".replace(
            "(3s", f"({n // 10}s"
        )
        for n in range(count - 1)
    ]
    return [screen.encode(), *(frame.encode() for frame in turned)]


def observe(
    python: str,
    module: str,
    agent: str,
    size: tuple[int, int],
    frames: list[bytes],
    *,
    screen: bool,
) -> dict[str, Any]:
    """Play the frames to one observer, in a home of its own."""
    with tempfile.TemporaryDirectory(prefix="observer") as scratch:
        folder = Path(scratch) / "sessions" / "20260101-000000-aaaa"
        folder.mkdir(parents=True)
        header: dict[str, Any] = {
            "id": folder.name, "agent": agent, "argv": [agent], "workspace": "/w",
            "instance": "local", "name": "n", "wrapper_pid": 1, "wrapper_started": 1,
            "started_at": time.time(), "screen": screen, "agent_pid": None, "version": 1,
        }  # fmt: skip
        (folder / "session.json").write_text(json.dumps(header))
        header |= {"folder": str(folder), "mode": "headless", "pid": os.getpid(),
                   "columns": size[0], "lines": size[1]}  # fmt: skip
        homes = {f"DEJAVU_{kind}_HOME": scratch for kind in ("STATE", "DATA", "CONFIG")}
        process = subprocess.Popen(
            [python, "-m", module], stdin=subprocess.PIPE, cwd=scratch,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            env={"PATH": os.environ["PATH"], "HOME": scratch, **homes},
        )  # fmt: skip
        assert process.stdin is not None
        process.stdin.write(encode(Header(header)))
        process.stdin.flush()
        time.sleep(READY)
        start = used_first = cpu_seconds(process.pid)
        began = counted = time.monotonic()
        for number, frame in enumerate(frames, 1):
            process.stdin.write(encode(Output(time.time(), frame)))
            process.stdin.flush()
            time.sleep(max(0.0, began + number * FRAME - time.monotonic()))
            if number == FIRST:
                used_first, counted = cpu_seconds(process.pid), time.monotonic()
        used = cpu_seconds(process.pid) - used_first
        took = time.monotonic() - counted
        state = json.loads((folder / "status.json").read_text())["state"]
        process.stdin.write(encode(Exit(time.time(), 0)))
        process.stdin.close()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        total = usage.ru_utime + usage.ru_stime
        return {
            "start_s": round(start, 3), "share": round(used / took, 4),
            "first_s": round(used_first - start, 3),
            "end_s": round(total - used_first - used, 3),
            "exit": process.returncode, "state": state,
        }  # fmt: skip


def medians(rounds: list[dict[str, Any]]) -> dict[str, Any]:
    """The median of every figure; the state and the exit status as they all were."""
    figures: dict[str, Any] = {}
    for name in ("start_s", "first_s", "share", "end_s"):
        figures[name] = statistics.median(one[name] for one in rounds)
    for name in ("exit", "state"):
        figures[name] = ", ".join(sorted({str(one[name]) for one in rounds}))
    return figures


def main() -> None:
    """Print the figures of one or two observers."""
    options = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    options.add_argument("recording", nargs="?", type=Path, default=RECORDING)
    options.add_argument("--frames", type=int, default=300)
    options.add_argument("--rounds", type=int, default=1)
    options.add_argument("--spinner", choices=GLYPHS, metavar="AGENT")
    options.add_argument("--peer", nargs=2, metavar=("PYTHON", "MODULE"))
    asked = options.parse_args()
    agent, size = asked.spinner or "demo", SIZE
    if asked.spinner:
        data = frames = spinner_frames(agent, asked.frames)
    else:
        recording = Recording(asked.recording)
        data = [event.data for event in recording if isinstance(event, Output)]
        frames = list(islice(cycle(data), asked.frames))
        size = recording.columns or 80, recording.lines or 24
    observers = {"ours": (sys.executable, "dejavu.sessions.observer")}
    if asked.peer:
        observers["peer"] = tuple(asked.peer)
    rounds: dict[str, list[dict[str, Any]]] = {}
    for _ in range(asked.rounds):
        for screen in (False, True):
            for name, (python, module) in observers.items():
                way = "with --screen" if screen else "without --screen"
                figures = observe(python, module, agent, size, frames, screen=screen)
                rounds.setdefault(f"{name} {way}", []).append(figures)
    print(
        json.dumps(
            {
                "frames": len(frames), "drawn": len(data),
                **{name: medians(each) for name, each in rounds.items()},
                "load": round(os.getloadavg()[0], 1),
            },
            indent=1,
        )
    )  # fmt: skip


if __name__ == "__main__":
    main()
