"""How soon a host shows what an agent does: from the agent's byte to tmux's option and to an event.

    python benchmarks/host_latency.py [CHANGES]        (default: 40; needs tmux)

Prints JSON. A program draws an agent at work, then its question, then its prompt, over and over,
inside `dejavu-run` in a pane of a tmux server of its own, and notes when it wrote each. One watcher
asks tmux for the pane's `@dejavu_state` again and again (its own cost, a few milliseconds, is in the
figure), the other reads the events of `dejavu serve`. Aim: p95 300 ms.
"""

import json
import os
import shlex
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

BIN = Path(sys.executable).parent
AIM = 0.300

AGENT = """
import json, os, sys, time
line = "\\u2500" * 78
box = [line, "\\u276f ", line, "  ? for shortcuts"]
screens = {
    "working": ["\\u276f go", "", "\\u273b Working\\u2026 (1s \\u00b7 esc to interrupt)", "", *box],
    "blocked": [line, " Bash command", "", "   rm x", "", " Do you want to proceed?",
                " \\u276f 1. Yes", "   2. No", "", " Esc to cancel \\u00b7 Tab to amend"],
}
moments = []
time.sleep(2.5)
for number in range(int(sys.argv[1])):
    state = ("working", "blocked")[number % 2]
    time.sleep(0.7 + 0.013 * (number % 29))
    os.write(1, ("\\x1b[2J\\x1b[H" + "\\r\\n".join(screens[state])).encode())
    moments.append((state, time.time()))
json.dump(moments, open(sys.argv[2], "w"))
time.sleep(2)
"""

Seen = list[tuple[float, str]]


def watch_tmux(server: Path, stop: threading.Event, seen: Seen) -> None:
    last = ""
    command = ["tmux", "-S", str(server), "display", "-p", "-t", "1", "#{@dejavu_state}"]
    while not stop.is_set():
        state = subprocess.run(command, capture_output=True, text=True).stdout.strip()
        if state != last:
            seen.append((time.time(), state))
            last = state


def watch_events(path: Path, stop: threading.Event, seen: Seen) -> None:
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(str(path))
        connection.settimeout(0.5)
        connection.sendall(b"GET /v1/events HTTP/1.1\r\nHost: localhost\r\n\r\n")
        waiting, last = b"", ""
        while not stop.is_set():
            try:
                waiting += connection.recv(1 << 16)
            except TimeoutError:
                continue
            *lines, waiting = waiting.split(b"\n")
            for line in lines:
                text = line.strip().removeprefix(b"data: ")
                if text[:1] != b"{" or b'"state"' not in text:
                    continue
                state = str(json.loads(text).get("state"))
                if state != last:
                    seen.append((time.time(), state))
                    last = state


def latencies(moments: list[tuple[str, float]], seen: Seen) -> list[float | None]:
    """For each change, the seconds until it was seen; None where it was not before the next."""
    found: list[float | None] = []
    for number, (state, written) in enumerate(moments):
        until = moments[number + 1][1] if number + 1 < len(moments) else float("inf")
        at = next((at for at, shown in seen if shown == state and written <= at < until), None)
        found.append(None if at is None else at - written)
    return found


def summary(values: list[float | None]) -> dict[str, Any]:
    ordered = sorted(value for value in values if value is not None)
    if not ordered:
        return {"changes": len(values), "missed": len(values)}
    return {
        "changes": len(values),
        "missed": len(values) - len(ordered),
        "p50_ms": round(statistics.median(ordered) * 1000),
        "p95_ms": round(ordered[min(len(ordered) - 1, int(0.95 * len(ordered)))] * 1000),
        "worst_ms": round(ordered[-1] * 1000),
    }


def main() -> None:
    changes = sys.argv[1] if len(sys.argv) > 1 else "40"
    with tempfile.TemporaryDirectory(prefix="hosts") as scratch:
        home, server = Path(scratch) / "home", Path(scratch) / "tmux"
        done, agent = Path(scratch) / "moments.json", Path(scratch) / "claude"
        home.mkdir()
        agent.write_text(f"#!{sys.executable}\n{AGENT}")
        agent.chmod(0o755)
        kept = ("PATH", "LANG")
        environ = {
            "HOME": str(home),
            **{name: os.environ[name] for name in kept if name in os.environ},
        }
        serve = subprocess.Popen(
            [str(BIN / "dejavu"), "serve"], env=environ, stdout=subprocess.PIPE, text=True
        )
        assert serve.stdout is not None
        address = Path(serve.stdout.readline().split()[-1])
        words = [str(BIN / "dejavu-run"), "--", str(agent), changes, str(done)]
        subprocess.run(
            ["tmux", "-S", str(server), "-f", "/dev/null", "new-session", "-d", "-x", "100", "-y", "30",
             "-s", "1", shlex.join(words)], env={**environ, "TERM": "xterm-256color"}, check=True,
        )  # fmt: skip
        stop = threading.Event()
        tmux: Seen = []
        events: Seen = []
        watchers = [
            threading.Thread(target=watch_tmux, args=(server, stop, tmux)),
            threading.Thread(target=watch_events, args=(address, stop, events)),
        ]
        for watcher in watchers:
            watcher.start()
        try:
            while not done.exists():
                time.sleep(0.2)
            time.sleep(1)
        finally:
            stop.set()
            for watcher in watchers:
                watcher.join()
            subprocess.run(["tmux", "-S", str(server), "kill-server"], check=False)
            serve.terminate()
            serve.wait()
        moments = [(state, at) for state, at in json.loads(done.read_text())]
    result = {
        "tmux": summary(latencies(moments, tmux)),
        "events": summary(latencies(moments, events)),
    }
    met = all(one.get("p95_ms", 1e9) <= AIM * 1000 and not one["missed"] for one in result.values())
    print(json.dumps({**result, "aim_ms": AIM * 1000, "met": met}))


if __name__ == "__main__":
    main()
