"""What people and agents wait for at a start: the agent's first instruction, and MCP's tools.

    python -m benchmarks.interfaces.start_up [--runs 11]

Prints JSON, medians of the runs in a throw-away home. `run`: `date` under `dejavu-run`, in a terminal:
wall milliseconds from the start to the program's first instruction, CPU milliseconds of everything that the
session started until all of it has ended (observer and indexer too), with the observer server there
(`warm`) and without one (`cold`). `mcp`: milliseconds from the start of `dejavu mcp` to its answer to
`tools/list`, CPU milliseconds and proportional megabytes by then. Linux only.
"""

import argparse
import ctypes
import json
import os
import pty
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

BIN = Path(sys.executable).parent
PR_SET_CHILD_SUBREAPER = 36


def cpu() -> float:
    """CPU milliseconds of all that has ended below us."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (usage.ru_utime + usage.ru_stime) * 1e3


def server_cpu(home: Path) -> float:
    """CPU milliseconds of the observer server and of what it forked; 0 where there is none."""
    for lock in home.glob(".local/state/dejavu/observers/*.lock"):
        try:
            pid = int(lock.read_text())
            fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        except (OSError, ValueError):
            continue
        return sum(map(int, fields[11:15])) * 1e3 / os.sysconf("SC_CLK_TCK")
    return 0.0


def start(command: list[str], environment: dict[str, str]) -> float:
    """Milliseconds from a start in a terminal to the time that the program prints."""
    master, slave = pty.openpty()
    began = time.time()
    process = subprocess.Popen(
        command, stdin=slave, stdout=slave, stderr=slave, env=environment, start_new_session=True
    )
    os.close(slave)
    data = b""
    try:
        while piece := os.read(master, 4096):
            data += piece
    except OSError:  # the terminal is closed by the last who had it
        pass
    process.wait()
    os.close(master)
    return (float(data.split()[0]) - began) * 1e3


def wait_for_all() -> None:
    """Reap what the session left at work, but not the server."""
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        try:
            pid, _ = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return
        if not pid:
            rest = Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()
            names = [Path(f"/proc/{child}/comm").read_text().strip() for child in rest]
            if all(name == "dejavu-observer" for name in names):
                return
            time.sleep(0.02)


def wrapped(home: Path, runs: int, *, warm: bool) -> dict[str, float]:
    """The figures of `date` under `dejavu-run`."""
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(home),
        "LANG": "C.UTF-8",
        "TERM": "xterm",
    }
    if not warm:
        environment["DEJAVU_WARM_OBSERVER"] = "off"
    command = [str(BIN / "dejavu-run"), "date", "+%s.%N"]
    for _ in range(2):
        start(command, environment)
        wait_for_all()
        time.sleep(1)
    firsts: list[float] = []
    before = cpu() + server_cpu(home)
    for _ in range(runs):
        firsts.append(start(command, environment))
        wait_for_all()
        time.sleep(0.2)
    return {
        "first_instruction_ms": round(statistics.median(firsts), 1),
        "least_ms": round(min(firsts), 1),
        "cpu_ms": round((cpu() + server_cpu(home) - before) / runs, 1),
    }


def tools(home: Path) -> tuple[float, float, float]:
    """Wall and CPU milliseconds until `dejavu mcp` has listed its tools, and its megabytes."""
    environment = {"PATH": os.environ["PATH"], "HOME": str(home), "LANG": "C.UTF-8"}
    began = time.monotonic()
    with subprocess.Popen(
        [str(BIN / "dejavu"), "mcp"], env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        client = {"protocolVersion": "2025-06-18", "capabilities": {},
                  "clientInfo": {"name": "benchmark", "version": "1"}}  # fmt: skip
        for number, (method, parameters) in enumerate(
            (("initialize", client), ("notifications/initialized", None), ("tools/list", {}))
        ):
            request: dict[str, Any] = {"jsonrpc": "2.0", "method": method}
            if parameters is not None:
                request |= {"id": number, "params": parameters}
            process.stdin.write(json.dumps(request).encode() + b"\n")
            process.stdin.flush()
            if parameters is not None:
                answer = json.loads(process.stdout.readline())
        wall = (time.monotonic() - began) * 1e3
        assert answer["result"]["tools"]
        spent = sum(
            int((task / "schedstat").read_text().split()[0])
            for task in Path(f"/proc/{process.pid}/task").iterdir()
        )
        rows = Path(f"/proc/{process.pid}/smaps_rollup").read_text().splitlines()
        pss = next(int(row.split()[1]) for row in rows if row.startswith("Pss:")) / 1024
        process.stdin.close()
        process.wait(30)
    return wall, spent / 1e6, pss


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--runs", type=int, default=11)
    options = parser.parse_args()
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    home = Path(tempfile.mkdtemp(prefix="dejavu-start-"))
    environment = {"PATH": os.environ["PATH"], "HOME": str(home)}
    try:
        bare = [start(["date", "+%s.%N"], environment) for _ in range(options.runs)]
        figures: dict[str, Any] = {"bare_first_instruction_ms": round(statistics.median(bare), 1)}
        figures["run cold"] = wrapped(home, options.runs, warm=False)
        figures["run warm"] = wrapped(home, options.runs, warm=True)
        lists = [tools(home) for _ in range(options.runs)]
        figures["mcp"] = {
            name: round(statistics.median(values), 1)
            for name, values in zip(
                ("ms", "cpu_ms", "pss_mb"), zip(*lists, strict=True), strict=True
            )
        }
        figures["load"] = round(os.getloadavg()[0], 1)
        print(json.dumps(figures, indent=1))
    finally:
        shutil.rmtree(home, ignore_errors=True)


if __name__ == "__main__":
    main()
