"""How soon a host shows what an agent does: from the agent's byte to tmux's option and to an event.

    python -m benchmarks.sessions.host_latency [CHANGES]                (default: 40; needs tmux)
    RIG_NPM=... python -m benchmarks.sessions.host_latency --agents [NAME ...] [--verbose] [--keep FOLDER]

Prints JSON. A program draws an agent at work, then its question, then its prompt, over and over,
inside `dejavu-run` in a pane of a tmux server of its own, and notes when it wrote each. One watcher
asks tmux for the pane's `@dejavu_state` again and again (its own cost, a few milliseconds, is in the
figure), the other reads the events of `dejavu serve`. Aim: p95 300 ms.

Real agents run on the rig beside the repo, one after the other, each `PROMPTS` prompts of a scripted model
with a shell command that it asks about: any agent of the rig by its name, or those of `AGENTS`. They
are recorded by the wrapper (`--keep`: the recordings stay there); afterwards the recording is read piece
by piece, and the piece from which on the screen reads as a state, or in which the agent reports it,
until the state is shown, is the agent's byte. Its moment is the wrapper's own, by the events of the
control socket. The way from there, a row each in `stages`: `frame` and `debounce` (the reader's own, see
`latency_stages.py`), `observer` (from the moment of the decision until the session's status file says
so: the pipe, the processor, the file), and from the file on the hosts, `to_tmux` and `to_event`.
"""

import json
import os
import shlex
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks import SHARED
from benchmarks.sessions.latency_stages import Change, changes_of, zero_of
from tests.e2e.fleet_agents import AGENTS, FleetAgents, fleet_agents

from dejavu.capsule import Output
from dejavu.capsule.frames import Decoder, pack, unpacker

BIN = Path(sys.executable).parent
AIM = 0.300
STAGES = ("frame", "debounce", "observer", "to_tmux", "to_event")
WORDS = ("one", "two", "three", "four")

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
    """For each change, the seconds until it was seen; None where it was not before the one after next.

    An agent that is answered at once leaves a state before it can be shown.
    """
    found: list[float | None] = []
    for number, (state, written) in enumerate(moments):
        until = moments[number + 2][1] if number + 2 < len(moments) else float("inf")
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


def tmux_command(server: Path, *words: str) -> list[str]:
    return ["tmux", "-S", str(server), *words]


class Hosts:
    """A tmux server and `dejavu serve` in a throw-away home, both watched."""

    def __init__(self, scratch: Path) -> None:
        self.home, self.server = scratch / "home", scratch / "tmux"
        self.home.mkdir()
        kept = {name: os.environ[name] for name in ("PATH", "LANG") if name in os.environ}
        self.environ = {"HOME": str(self.home), **kept}
        self._serve = subprocess.Popen(
            [str(BIN / "dejavu"), "serve"], env=self.environ, stdout=subprocess.PIPE, text=True
        )
        assert self._serve.stdout is not None
        self._address = Path(self._serve.stdout.readline().split()[-1])
        self._stop = threading.Event()
        self._watchers: list[threading.Thread] = []
        self.tmux: Seen = []
        self.events: Seen = []
        self.published: Seen = []

    def start(self, words: list[str]) -> None:
        """Run a command in the pane, and watch."""
        size = ["-x", "120", "-y", "40"]
        subprocess.run(
            tmux_command(self.server, "-f", "/dev/null", "new-session", "-d", *size, "-s", "1",
                         shlex.join(words)),
            env={**self.environ, "TERM": "xterm-256color"}, check=True,
        )  # fmt: skip
        self._watchers = [
            threading.Thread(target=watch_tmux, args=(self.server, self._stop, self.tmux)),
            threading.Thread(target=watch_events, args=(self._address, self._stop, self.events)),
        ]
        for watcher in self._watchers:
            watcher.start()

    def follow(self, folder: Path) -> None:
        """Watch the status file of the session, too."""
        self._watchers.append(
            threading.Thread(target=watch_status, args=(folder, self._stop, self.published))
        )
        self._watchers[-1].start()

    def close(self) -> None:
        """End both, and the watching."""
        self._stop.set()
        for watcher in self._watchers:
            watcher.join()
        subprocess.run(tmux_command(self.server, "kill-server"), check=False)
        self._serve.terminate()
        self._serve.wait()

    def latencies(self, moments: list[tuple[str, float]]) -> dict[str, list[float | None]]:
        """How soon each showed the changes."""
        return {
            "tmux": latencies(moments, self.tmux), "events": latencies(moments, self.events),
        }  # fmt: skip


def puppet(changes: str) -> dict[str, list[float | None]]:
    """The program above: it knows itself when it wrote."""
    with tempfile.TemporaryDirectory(prefix="hosts") as scratch:
        done, agent = Path(scratch) / "moments.json", Path(scratch) / "claude"
        agent.write_text(f"#!{sys.executable}\n{AGENT}")
        agent.chmod(0o755)
        hosts = Hosts(Path(scratch))
        try:
            hosts.start([str(BIN / "dejavu-run"), "--", str(agent), changes, str(done)])
            while not done.exists():
                time.sleep(0.2)
            time.sleep(1)
        finally:
            hosts.close()
        return hosts.latencies([(state, at) for state, at in json.loads(done.read_text())])


def began_at(control: Path, draw: Callable[[], object]) -> tuple[int, float]:
    """A byte of the session's output, by its number, and when the wrapper read it (Unix seconds).

    draw: makes the agent draw something.
    """
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(str(control))
        connection.sendall(pack({"do": "attach"}))
        data = connection.recv(1 << 16)
        reply = unpacker(1 << 20)
        reply.feed(data)
        offset = int(next(reply)["offset"])
        draw()
        decoder = Decoder()
        data = data[reply.tell() :]
        while True:
            for event in decoder.feed(data):
                if isinstance(event, Output):
                    return offset, event.at
            data = connection.recv(1 << 16)


def watch_status(folder: Path, stop: threading.Event, published: Seen) -> None:
    """The states that a session's status file says, each with the moment of its writing."""
    path, stamp = folder / "status.json", 0
    while not stop.is_set():
        time.sleep(0.004)
        try:
            if (changed := path.stat().st_mtime_ns) == stamp:
                continue
            state = str(json.loads(path.read_bytes())["state"])
        except (OSError, ValueError):
            continue
        stamp = changed
        if not published or published[-1][1] != state:
            published.append((changed / 1e9, state))


def stages_of(
    changes: list[Change], zero: float, published: Seen, hosts: dict[str, Seen]
) -> dict[str, list[float | None]]:
    """For each change the seconds of each stage on its way; None where it was not found."""
    bytes_at = [(change.state, zero + change.byte_at) for change in changes]
    written = latencies(bytes_at, published)
    found: dict[str, list[float | None]] = {"frame": [], "debounce": [], "observer": []}
    for change, taken in zip(changes, written, strict=True):
        for name, seconds in change.stages.items():
            found[name].append(seconds)
        reader = change.decided_at - change.byte_at
        found["observer"].append(None if taken is None else taken - reader)
    for name, seen in hosts.items():
        pairs = zip(latencies(bytes_at, seen), written, strict=True)
        found[name] = [None if None in pair else pair[0] - pair[1] for pair in pairs]  # type: ignore[operator]
    return found


def dejavu(hosts: Hosts, *words: str) -> dict[str, Any]:
    done = subprocess.run(
        [str(BIN / "dejavu"), *words], env=hosts.environ, stdout=subprocess.PIPE, text=True
    )
    return json.loads(done.stdout) if done.stdout.startswith("{") else {}


def real(agents: FleetAgents, name: str) -> dict[str, list[float | None]]:
    """One agent of the rig, prompted and answered."""
    prompts = [f"Write the word {word} into a file." for word in WORDS]
    turns = [
        {"user": prompt, "reply": [
            [{"text": "On it, let me see.", "cps": 20},
             {"tool": "shell", "args": {"command": f"echo {word} >> {agents.base}/project/x"}}],
            [{"text": f"The word {word} is there.", "cps": 20}],
        ]}
        for word, prompt in zip(WORDS, prompts, strict=True)
    ]  # fmt: skip
    with tempfile.TemporaryDirectory(prefix="hosts", dir=agents.base.parent) as scratch:
        hosts = Hosts(Path(scratch))
        project, program = agents.make(name, turns)
        cast = Path(scratch) / "session.cast"
        try:
            hosts.start(["env", "-C", str(project), str(BIN / "dejavu-run"), "--name", "it",
                         "--record", str(cast), "--", str(program)])  # fmt: skip
            known = (0, 0.0)
            for prompt in ["", *prompts]:
                if prompt:
                    dejavu(hosts, "send", "it", prompt)
                for _ in range(12):
                    wanted = "idle,blocked,error"
                    now = dejavu(hosts, "wait", "it", "--for", wanted, "--timeout", "90", "--json")
                    if now.get("state") != "blocked":
                        break
                    dejavu(hosts, "answer", "it", "1")
                if not known[0]:
                    (folder,) = (hosts.home / ".local/state/dejavu/sessions").iterdir()
                    hosts.follow(folder)
                    known = began_at(folder / "control", lambda: dejavu(
                        hosts, "send", "it", "--key", "a", "--key", "Backspace"))  # fmt: skip
            time.sleep(2)
            dejavu(hosts, "stop", "it", "--kill")
        finally:
            hosts.close()
        if "--keep" in sys.argv:
            shutil.copy(cast, Path(sys.argv[sys.argv.index("--keep") + 1]) / f"{name}.cast")
        changes, zero = changes_of(cast, name), zero_of(cast, known)
        moments = [(change.state, zero + change.byte_at) for change in changes]
        changes = [one for one in changes if zero + one.byte_at >= known[1]]  # since it is followed
        if "--verbose" in sys.argv:
            for label, one in (("byte", [(at, state) for state, at in moments]),
                               ("file", hosts.published), ("tmux", hosts.tmux),
                               ("events", hosts.events)):  # fmt: skip
                print(label, [(round(at % 1000, 2), state) for at, state in one], file=sys.stderr)
        for seen in (hosts.tmux, hosts.events):  # idle that nobody has looked at yet
            seen[:] = [(at, "idle" if state == "done" else state) for at, state in seen]
        shown = {"to_tmux": hosts.tmux, "to_event": hosts.events}
        return {**hosts.latencies(moments), **stages_of(changes, zero, hosts.published, shown)}


def run_agents(names: list[str]) -> dict[str, dict[str, Any]]:
    """The figures over all these agents of the rig; each one's own go to stderr."""
    every: list[dict[str, list[float | None]]] = []
    with fleet_agents(SHARED / "rig") as agents:
        for name in names:
            if missing := agents.missing(name):
                print(missing, file=sys.stderr)
                continue
            every.append(real(agents, name))
            of_agent = {label: summary(taken) for label, taken in every[-1].items()}
            print(json.dumps({name: of_agent}), file=sys.stderr, flush=True)
    return {
        label: summary([one for taken in every for one in taken[label]])
        for label in ("tmux", "events", *STAGES)
    }


def main() -> None:
    words = sys.argv[1:]
    if "--agents" in words:
        kept = words.index("--keep") + 1 if "--keep" in words else -1
        names = [word for at, word in enumerate(words) if word[:2] != "--" and at != kept]
        result = run_agents(names or list(AGENTS))
        result["stages"] = {label: result.pop(label) for label in STAGES}
    else:
        taken = puppet(words[0] if words else "40")
        result = {host: summary(values) for host, values in taken.items()}
    shown = [result[host] for host in ("tmux", "events")]
    met = all(one.get("p95_ms", 1e9) <= AIM * 1000 and not one["missed"] for one in shown)
    load = round(os.getloadavg()[0], 1)
    print(json.dumps({**result, "aim_ms": AIM * 1000, "met": met, "load": load}))


if __name__ == "__main__":
    main()
