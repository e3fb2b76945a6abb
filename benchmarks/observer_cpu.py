"""What an observer costs while a recorded session is played to it at ten frames a second.

    python benchmarks/observer_cpu.py [RECORDING.cast] [--frames N] [--peer PYTHON MODULE]

Prints JSON: CPU seconds of the observer's process until it is ready, its share of a core while it
reads the frames, and the CPU seconds of its end (archiving, indexing), without `--screen` and with
it. Default: the golden recording of the demo agent, played over and over, 300 frames. `--peer` runs
the observer of another installation (its Python, its module) in turn with this one's.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from itertools import cycle, islice
from pathlib import Path
from typing import Any

from dejavu.capsule import Exit, Header, Output, Recording, encode

RECORDING = Path(__file__).resolve().parent.parent / "golden/demo/tour/session.cast"
FRAME = 0.1
READY = 4.0
"""Seconds given to the observer to start."""


def cpu_seconds(pid: int) -> float:
    """The CPU seconds a process has used."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def observe(
    python: str, module: str, recording: Recording, frames: list[bytes], *, screen: bool
) -> dict[str, float]:
    """Play the frames to one observer, in a home of its own."""
    with tempfile.TemporaryDirectory(prefix="observer") as scratch:
        folder = Path(scratch) / "sessions" / "20260101-000000-aaaa"
        folder.mkdir(parents=True)
        header: dict[str, Any] = {
            "id": folder.name, "agent": "demo", "argv": ["demo"], "workspace": "/w",
            "instance": "local", "name": "n", "wrapper_pid": 1, "wrapper_started": 1,
            "started_at": time.time(), "screen": screen, "agent_pid": None, "version": 1,
        }  # fmt: skip
        (folder / "session.json").write_text(json.dumps(header))
        header |= {"folder": str(folder), "mode": "headless", "pid": os.getpid(),
                   "columns": recording.columns or 80, "lines": recording.lines or 24}  # fmt: skip
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
        start, began = cpu_seconds(process.pid), time.monotonic()
        for number, frame in enumerate(frames, 1):
            process.stdin.write(encode(Output(time.time(), frame)))
            process.stdin.flush()
            time.sleep(max(0.0, began + number * FRAME - time.monotonic()))
        used, took = cpu_seconds(process.pid) - start, time.monotonic() - began
        process.stdin.write(encode(Exit(time.time(), 0)))
        process.stdin.close()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        total = usage.ru_utime + usage.ru_stime
        return {
            "start_s": round(start, 3), "share": round(used / took, 4),
            "end_s": round(total - start - used, 3), "exit": process.returncode,
        }  # fmt: skip


def main() -> None:
    """Print the figures of one or two observers."""
    options = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    options.add_argument("recording", nargs="?", type=Path, default=RECORDING)
    options.add_argument("--frames", type=int, default=300)
    options.add_argument("--peer", nargs=2, metavar=("PYTHON", "MODULE"))
    asked = options.parse_args()
    recording = Recording(asked.recording)
    data = [event.data for event in recording if isinstance(event, Output)]
    frames = list(islice(cycle(data), asked.frames))
    observers = {"ours": (sys.executable, "dejavu.sessions.observer")}
    if asked.peer:
        observers["peer"] = tuple(asked.peer)
    figures: dict[str, Any] = {"frames": len(frames), "recorded": len(data)}
    for screen in (False, True):
        for name, (python, module) in observers.items():
            way = "with --screen" if screen else "without --screen"
            figures[f"{name} {way}"] = observe(python, module, recording, frames, screen=screen)
    figures["load"] = round(os.getloadavg()[0], 1)
    print(json.dumps(figures, indent=1))


if __name__ == "__main__":
    main()
