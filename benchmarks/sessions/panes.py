"""What watching panes costs, and whether it tells what wrapping tells.

    python -m benchmarks.sessions.panes [--panes 20] [--twins 4] [--seconds 30] [--json]

Starts a tmux server of its own with players in its panes: programs called like an agent that print
the next event of that agent's golden recording ten times a second, by the wall clock. Some have a
twin that plays the same at the same moments under `dejavu-run --headless`. Printed: the watcher's
CPU (its tmux clients included) and memory, the tmux server's CPU, and the share of samples in
which a pane's state was one that its twin's session had within 300 ms. Needs tmux and Linux.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from benchmarks import ROOT

TICK, SAMPLE, WITHIN = 0.1, 0.1, 0.3
PLAYER = """#!{python}
import json, os, sys, time, tty
try: tty.setraw(0)
except Exception: pass
events = [event[2].encode() for event in map(json.loads, open(sys.argv[1]).read().splitlines()[1:])
          if event[1] == "o"]
start, end = float(sys.argv[2]), float(sys.argv[3])
number = 0
while time.time() < end:
    at = start + number * {tick}
    time.sleep(max(0.0, at - time.time()))
    data = events[number % len(events)]
    if number and number % len(events) == 0:
        data = b"\\x1b[!p\\x1b[?1049l\\x1b[H\\x1b[2J\\x1b[3J" + data
    os.write(1, data)
    number += 1
"""


def recordings() -> list[tuple[str, Path, int, int]]:
    """Agent, golden recording, columns and lines: one of each agent, those with most events."""
    best: dict[str, tuple[int, Path, int, int]] = {}
    for path in sorted(ROOT.glob("golden/*/*/session.cast")):
        first, *events = path.read_text("utf-8").splitlines()
        head = json.loads(first)
        agent = path.parent.parent.name
        if len(events) > best.get(agent, (20,))[0]:
            best[agent] = len(events), path, head["width"], head["height"]
    return [(agent, *found[1:]) for agent, found in best.items()]


def cpu(pid: int) -> tuple[float, float]:
    """CPU seconds of a process, and those of its ended children."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    clock = os.sysconf("SC_CLK_TCK")
    return sum(map(int, fields[11:13])) / clock, sum(map(int, fields[13:15])) / clock


def memory(pid: int) -> float:
    """Resident MB, now."""
    text = Path(f"/proc/{pid}/status").read_text()
    return int(text.partition("VmRSS:")[2].split()[0]) / 1024


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--panes", type=int, default=20)
    parser.add_argument("--twins", type=int, default=4)
    parser.add_argument("--seconds", type=float, default=30.0)
    parser.add_argument("--settle", type=float, default=15.0, help="seconds before measuring")
    parser.add_argument(
        "--attach", action="store_true", help="attach to tmux whatever its version, not look"
    )
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="dv-", dir="/tmp"))
    os.environ.update(
        {
            "HOME": str(folder / "home"), "TMUX_TMPDIR": str(folder), "LC_ALL": "C.UTF-8",
            "DEJAVU_STATE_HOME": str(folder / "state"), "DEJAVU_DATA_HOME": str(folder / "data"),
            "DEJAVU_CONFIG_HOME": str(folder / "config"),
        }
    )  # fmt: skip
    for name in ("TMUX", "DEJAVU_SESSION"):
        os.environ.pop(name, None)
    (folder / "home").mkdir()
    try:
        result = measure(folder, options)
    finally:
        subprocess.run(["tmux", "kill-server"], capture_output=True)
        shutil.rmtree(folder, ignore_errors=True)
    print(json.dumps(result) if options.json else "\n".join(f"{k}: {v}" for k, v in result.items()))


def measure(folder: Path, options: argparse.Namespace) -> dict[str, Any]:
    from dejavu.sessions import session_store as sessions

    chosen = recordings()
    start = time.time() + options.settle
    end = start + options.seconds + 5
    twins: dict[str, str] = {}
    wrapped: list[subprocess.Popen[bytes]] = []
    for number in range(options.panes):
        agent, cast, columns, lines = chosen[number % len(chosen)]
        program = folder / f"p{number}" / agent
        program.parent.mkdir()
        program.write_text(PLAYER.format(python=sys.executable, tick=TICK))
        program.chmod(0o755)
        command = [str(program), str(cast), str(start), str(end)]
        pane = subprocess.run(
            [
                "tmux", "-f", "/dev/null", "new-session", "-d", "-P", "-F", "#{pane_id}",
                "-x", str(columns), "-y", str(lines), *command,
            ],
            capture_output=True, text=True, check=True,
        ).stdout.strip()  # fmt: skip
        if number < options.twins:
            twins[f"tmux:{pane}"] = f"twin{number}"
            run = [sys.executable, "-m", "dejavu.interfaces.run", "--headless", "--name"]
            size = f"{columns}x{lines}"
            wrapped.append(
                subprocess.Popen(
                    [*run, f"twin{number}", "--size", size, *command],
                    stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                )
            )  # fmt: skip
    words = [sys.executable, "-m", "dejavu.interfaces.cli", "panes", "--watch", "--only", "tmux"]
    words += ["--attach"] if options.attach else []
    watcher = subprocess.Popen(words, stdout=subprocess.DEVNULL)
    server = int(
        subprocess.run(
            ["tmux", "display-message", "-p", "#{pid}"], capture_output=True, check=True
        ).stdout
    )
    time.sleep(max(0.0, start + 1 - time.time()))
    before, server_before, began = cpu(watcher.pid), cpu(server), time.monotonic()
    samples: list[tuple[float, dict[str, str]]] = []
    peak = 0.0
    while time.monotonic() - began < options.seconds:
        states = {
            v.session.source or v.session.name: v.state for v in sessions.find_all() if v.live
        }
        samples.append((time.monotonic(), states))
        peak = max(peak, memory(watcher.pid))
        time.sleep(SAMPLE)
    took = time.monotonic() - began
    own, started = (now - then for now, then in zip(cpu(watcher.pid), before, strict=True))
    server_used = cpu(server)[0] - server_before[0]
    watched = sum(name.startswith("tmux:") for name in samples[-1][1])
    began = time.monotonic()
    watcher.terminate()
    watcher.wait(20)
    ended = time.monotonic() - began
    for process in wrapped:
        process.terminate()
        process.wait(20)
    compared = equal = 0
    differing: dict[str, int] = {}
    for at, states in samples:
        for source, twin in twins.items():
            around = {s.get(twin) for when, s in samples if abs(when - at) <= WITHIN}
            if twin not in states:
                continue
            compared += 1
            if same(states.get(source)) in {same(state) for state in around}:
                equal += 1
            else:
                key = f"{states.get(source)} for {states.get(twin)}"
                differing[key] = differing.get(key, 0) + 1
    return {
        "panes watched": watched,
        "agents": len({agent for agent, *_ in chosen[: options.panes]}),
        "watcher CPU, % of a core": round(100 * (own + started) / took, 1),
        "of it programs it started": round(100 * started / took, 1),
        "tmux server CPU, % of a core": round(100 * server_used / took, 1),
        "watcher memory, MB, at most": round(peak, 1),
        "seconds until it has ended": round(ended, 2),
        "samples of twins": compared,
        "equal within 300 ms": equal,
        "differing": differing,
        "load": round(os.getloadavg()[0], 1),
    }


def same(state: str | None) -> str | None:
    """`done` is idle that nobody has seen: a matter of the reader, not of the screen."""
    return "idle" if state == "done" else state


if __name__ == "__main__":
    main()
