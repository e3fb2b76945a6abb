"""What wrapping costs: `dejavu-run`'s capsule beside util-linux `script` and a bare forward loop.

Every runner forwards the same flood from the same agent in an outer PTY that this program reads;
they take turns in one run, so that the machine's mood hits all alike, and medians are compared.
`cpu` is user+sys of the forwarding process alone (its agent is not counted, nor, for ours, the
observer, which reads and drops; in `ours_behind` it reads nothing). Prints JSON.

    python -m benchmarks.sessions.passthrough [--megabytes 32] [--rounds 7] [--keys 300]
"""

import argparse
import json
import os
import select
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
import tty
from pathlib import Path

# The agent marks the moment of its start and its own CPU time, so that both can be taken off.
AGENT = """
import os, sys, time, tty
os.write(1, b"<%.9f>" % time.clock_gettime(time.CLOCK_MONOTONIC))
if os.isatty(0): tty.setraw(0)
what, count = sys.argv[1], int(sys.argv[2])
if what == "flood":
    block = (b"\\x1b[38;5;12m%s\\x1b[0m the quick brown fox\\r\\n" * 2000)[:65536]
    for _ in range(count * 16): os.write(1, block)
if what == "echo":
    os.write(1, b"go")
    for _ in range(count): os.write(1, os.read(0, 1))
"""

# The least any wrapper in Python can do: one poll, one read, one write.
BARE = """
import os, pty, select, sys, tty
size = os.get_terminal_size(0)
pid, fd = pty.fork()
if pid == 0: os.execvp(sys.argv[1], sys.argv[1:])
tty.setraw(0)
poll = select.poll()
poll.register(0, select.POLLIN)
poll.register(fd, select.POLLIN)
while True:
    for ready, _ in poll.poll():
        try: data = os.read(ready, 65536)
        except OSError: data = b""
        if not data: sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
        os.write(1 if ready == fd else fd, data)
"""

OURS = """
import os, sys
from dejavu.capsule import ObserverProcess, Session
reads = {"reads": "import os\\nwhile os.read(0, 1 << 20): pass", "sleeps": "import time; time.sleep(9)"}
program = reads.get(sys.argv[1])
observed = [ObserverProcess([sys.executable, "-S", "-c", program])] if program else []
session = Session(sys.argv[2:], dict(os.environ), sinks=observed)
sys.exit(session.run())
"""


def runners(folder):
    """The command line that runs an agent, by runner; `direct` is the agent alone in the PTY."""
    for name, text in (("agent", AGENT), ("bare", BARE), ("ours", OURS)):
        (folder / f"{name}.py").write_text(text)
    python, agent = sys.executable, [sys.executable, "-S", str(folder / "agent.py")]

    def script(*arguments):
        return ["script", "-qfec", " ".join([*agent, *arguments]), "/dev/null"]

    found = {
        "direct": lambda *a: [*agent, *a],
        "bare": lambda *a: [python, str(folder / "bare.py"), *agent, *a],
        "ours": lambda *a: [python, str(folder / "ours.py"), "reads", *agent, *a],
        "ours_unobserved": lambda *a: [python, str(folder / "ours.py"), "none", *agent, *a],
        "ours_behind": lambda *a: [python, str(folder / "ours.py"), "sleeps", *agent, *a],
    }
    return found | ({"script": script} if shutil.which("script") else {})


class Outer:
    """A PTY with a command in it; we are its terminal."""

    def __init__(self, command):
        self.master, slave = os.openpty()
        tty.setraw(slave)
        self.began = time.monotonic()
        self.process = subprocess.Popen(
            command, stdin=slave, stdout=slave, stderr=slave, start_new_session=True
        )
        os.close(slave)

    def read(self):
        """What came; b"" at the end."""
        try:
            return os.read(self.master, 1 << 16)
        except OSError:
            return b""

    def cpu(self):
        """CPU seconds of the runner itself so far, without its children."""
        try:
            stat = Path(f"/proc/{self.process.pid}/schedstat").read_text()
        except OSError:
            return 0.0
        return int(stat.split()[0]) / 1e9

    def end(self):
        """Wait for the runner's end."""
        while self.read():
            pass
        self.process.wait()
        os.close(self.master)


def mark(outer):
    """Read up to the agent's mark; when the agent began, and what came behind it."""
    data = b""
    while b">" not in data:
        data += outer.read()
    at, rest = data.split(b"<", 1)[1].split(b">", 1)
    return float(at), rest


def flood(command, megabytes):
    """Seconds of wall and of the runner's CPU from the agent's start to its last byte.

    `end` is how long the runner stays after that byte.
    """
    outer = Outer(command)
    started, rest = mark(outer)
    before = outer.cpu()
    left = megabytes * 16 * 65536 - len(rest)
    while left > 0:
        data = outer.read()
        if not data:
            raise SystemExit(f"{command}: ended {left} bytes early")
        left -= len(data)
    wall, cpu = time.monotonic() - started, outer.cpu() - before
    last = time.monotonic()
    outer.end()
    end = time.monotonic() - last
    return {"wall": wall, "cpu": cpu, "start": started - outer.began, "end": end}


def echo(command, keys):
    """Microseconds from each key to its echo, one at a time."""
    outer = Outer(command)
    _, data = mark(outer)
    while not data.endswith(b"go"):
        data += outer.read()
    times = []
    for _ in range(keys):
        began = time.perf_counter()
        os.write(outer.master, b"x")
        select.select([outer.master], [], [])
        outer.read()
        times.append((time.perf_counter() - began) * 1e6)
    outer.end()
    return times


def percentile(values, share):
    return sorted(values)[min(len(values) - 1, int(len(values) * share))]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--megabytes", type=int, default=32)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--keys", type=int, default=300)
    options = parser.parse_args()
    floods, echoes = {}, {}
    with tempfile.TemporaryDirectory() as folder:
        commands = runners(Path(folder))
        for _ in range(options.rounds):
            for name, command in commands.items():
                result = flood(command("flood", str(options.megabytes)), options.megabytes)
                floods.setdefault(name, []).append(result)
                times = echo(command("echo", str(options.keys)), options.keys)
                echoes.setdefault(name, []).append(times)
    median = {
        name: {key: statistics.median(r[key] for r in results) for key in results[0]}
        for name, results in floods.items()
    }
    script, bare, ours = median.get("script"), median["bare"], median["ours"]
    print(
        json.dumps(
            {
                "megabytes": options.megabytes,
                "rounds": options.rounds,
                "cpu_to_bare": round(ours["cpu"] / bare["cpu"], 2),
                "cpu_to_script": round(ours["cpu"] / script["cpu"], 2) if script else None,
                "wall_to_bare": round(ours["wall"] / bare["wall"], 2),
                "wall_to_script": round(ours["wall"] / script["wall"], 2) if script else None,
                "unobserved_cpu_to_bare": round(median["ours_unobserved"]["cpu"] / bare["cpu"], 2),
                "start_ms": {n: round(m["start"] * 1e3, 1) for n, m in median.items()},
                "flood_seconds": {
                    name: {key: round(value, 4) for key, value in each.items() if key != "start"}
                    for name, each in median.items()
                },
                "echo_us": {
                    name: {
                        "p50": round(statistics.median(percentile(t, 0.50) for t in rounds)),
                        "p99": round(statistics.median(percentile(t, 0.99) for t in rounds)),
                    }
                    for name, rounds in echoes.items()
                },
            },
            indent=2,
        )
    )


if __name__ == "__main__":
    main()
