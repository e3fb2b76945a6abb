"""What wrapped agents cost while they run: memory and CPU of every process of ours, by its part.

    python -m benchmarks.sessions.wrapped_agents [--agents 20] [--idle 20] [--play 20] [RECORDING.cast]

Starts the agents under `dejavu-run --headless` in a throw-away home. They draw the recording once,
stand still for `--idle` seconds and then draw on at ten frames a second for `--play` seconds.
Prints JSON: megabytes of each part (PSS and private, from smaps_rollup) an agent in each phase, and
their share of one core in all. `shared` is what serves all agents together.
`pss_mb_each_further` is by how much the memory in all grew for each agent after the second. The
agents' own processes are not counted. Linux only.
"""

import argparse
import ctypes
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

from benchmarks import ROOT

from dejavu.capsule import Output, Recording

RECORDING = ROOT / "golden/demo/tour/session.cast"
COMMAND = str(Path(sys.executable).parent / "dejavu-run")
PR_SET_CHILD_SUBREAPER = 36

AGENT = """
import json, os, sys, time
folder = sys.argv[1]
frames = [frame.encode() for frame in json.load(open(folder + "/frames.json"))]
for frame in frames:
    os.write(1, frame)
while not os.path.exists(folder + "/go"):
    time.sleep(0.5)
at, number = time.monotonic(), 0
while not os.path.exists(folder + "/end"):
    os.write(1, frames[number % len(frames)])
    number += 1
    time.sleep(max(0, at + number * 0.1 - time.monotonic()))
"""


def parents() -> dict[int, int]:
    """The parent of every process."""
    found: dict[int, int] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal():
            try:
                stat = (entry / "stat").read_bytes()
            except OSError:
                continue
            found[int(entry.name)] = int(stat.rpartition(b")")[2].split()[1])
    return found


def parts(wrappers: set[int]) -> dict[int, str]:
    """Our processes and which part each is; the agents' are left out."""
    parent = parents()
    ours: dict[int, str] = {}
    leaders = {pid for pid, above in parent.items() if parent.get(above) in wrappers}
    leaders = {parent[pid] for pid in leaders}
    for pid in parent:
        above, line = pid, [pid]
        while above in parent and above != os.getpid():
            above = parent[above]
            line.append(above)
        if above != os.getpid() or pid == os.getpid():
            continue
        if pid in wrappers:
            ours[pid] = "wrapper"
        elif pid in leaders:
            ours[pid] = "leader"
        elif not any(each in leaders for each in line):
            ours[pid] = "shared" if any(p == pid for p in parent.values()) else "observer"
    return ours


def memory(pid: int) -> tuple[float, float]:
    """Proportional and private megabytes of a process."""
    fields: dict[str, int] = {}
    for row in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()[1:]:
        name, amount, _ = row.split()
        fields[name] = int(amount)
    private = fields["Private_Clean:"] + fields["Private_Dirty:"]
    return fields["Pss:"] / 1024, private / 1024


def in_all(wrappers: set[int]) -> float:
    """Proportional megabytes of all our processes."""
    return sum(memory(pid)[0] for pid in parts(wrappers))


def cpu(pid: int) -> float:
    """CPU seconds of a process's threads so far."""
    tasks = Path(f"/proc/{pid}/task").iterdir()
    return sum(int((task / "schedstat").read_text().split()[0]) for task in tasks) / 1e9


def measure(wrappers: set[int], seconds: float) -> dict[str, Any]:
    """CPU over so many seconds, and memory at their end."""
    before = {pid: cpu(pid) for pid in parts(wrappers)}
    time.sleep(seconds)
    spent, pss, private, number = Counter[str](), Counter[str](), Counter[str](), Counter[str]()
    for pid, part in parts(wrappers).items():
        try:
            spent[part] += cpu(pid) - before.get(pid, 0.0)
            each = memory(pid)
        except OSError:
            continue
        pss[part] += each[0]
        private[part] += each[1]
        number[part] += 1
    agents = len(wrappers)
    return {
        "processes": dict(number),
        "pss_mb_an_agent": {part: round(pss[part] / agents, 2) for part in pss},
        "private_mb_an_agent": {part: round(private[part] / agents, 2) for part in private},
        "pss_mb_in_all": round(sum(pss.values()) / agents, 2),
        "core_share_in_all": {part: round(spent[part] / seconds, 4) for part in spent},
        "core_share": round(sum(spent.values()) / seconds, 4),
    }


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("recording", nargs="?", type=Path, default=RECORDING)
    parser.add_argument("--agents", type=int, default=20)
    parser.add_argument("--idle", type=float, default=20.0)
    parser.add_argument("--play", type=float, default=20.0)
    parser.add_argument("--settle", type=float, default=8.0, help="seconds until all stand")
    parser.add_argument("--agent", default="demo")
    parser.add_argument("--command", default=COMMAND, help="the dejavu-run to measure")
    options = parser.parse_args()
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    home = Path(tempfile.mkdtemp(prefix="dejavu-wrapped-"))
    wrappers: list[subprocess.Popen[bytes]] = []
    two = 0.0
    try:
        recording = Recording(options.recording)
        frames = [e.data.decode("latin-1") for e in recording if isinstance(e, Output)]
        (home / "frames.json").write_text(json.dumps(frames))
        (home / "agent.py").write_text(AGENT.replace("frame.encode()", 'frame.encode("latin-1")'))
        environment = {"PATH": os.environ["PATH"], "HOME": str(home), "LANG": "C.UTF-8"}
        size = f"{recording.columns or 80}x{recording.lines or 24}"
        for number in range(options.agents):
            wrappers.append(
                subprocess.Popen(
                    [options.command, "--headless", f"--size={size}", f"--agent={options.agent}",
                     "--", sys.executable, "-S", str(home / "agent.py"), str(home)],
                    env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                )
            )  # fmt: skip
            time.sleep(0.3 if number > 1 else options.settle)
            if number == 1:
                two = in_all({wrapper.pid for wrapper in wrappers})
        time.sleep(options.settle)
        pids = {wrapper.pid for wrapper in wrappers}
        figures: dict[str, Any] = {"agents": options.agents, "idle": measure(pids, options.idle)}
        if options.agents > 2:
            further = (in_all(pids) - two) / (options.agents - 2)
            figures["idle"]["pss_mb_each_further"] = round(further, 2)
        if options.play:
            (home / "go").touch()
            time.sleep(2)
            figures["ten frames a second"] = measure(pids, options.play)
        figures["load"] = round(os.getloadavg()[0], 1)
        print(json.dumps(figures, indent=1))
    finally:
        (home / "go").touch()
        (home / "end").touch()
        for wrapper in wrappers:
            wrapper.wait(30)
        end_rest()
        shutil.rmtree(home, ignore_errors=True)


def end_rest() -> None:
    """End what serves all agents, and wait for what is ending by itself."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        try:
            pid, _ = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return
        if not pid:
            for child, above in parents().items():
                if above == os.getpid() and b"dejavu-observers" in command_line(child):
                    os.kill(child, signal.SIGTERM)
            time.sleep(0.2)


def command_line(pid: int) -> bytes:
    """A process's command line; nothing once it is gone."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""


if __name__ == "__main__":
    main()
