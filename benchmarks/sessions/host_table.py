"""Host by agent: whether what a host shows is what the agent does, 300 ms after each change.

    python -m benchmarks.sessions.host_table [AGENT ...]                (needs tmux)

A program draws labelled screens of an agent (`golden/status`, the first three of a size) one after the
other inside `dejavu-run`, and notes when it wrote each. Receivers of each protocol note when they read
what: a terminal that answers for program status, which is iTerm2, orca and a bar as well; the commands
of herdr, Zellij and kitty, played by scripts; a real tmux, and the terminal outside it. Truth and host
are compared every 20 ms from 300 ms after a change until the next. Prints a table, in percent of these
moments, and for each host how late it read the changes. A screen that is misread counts against its row.
"""

import json
import os
import re
import shlex
import subprocess
import sys
import tempfile
import threading
import time
import tomllib
from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path

from tests.factories.outer_terminal import KNOWS_STATUS, PLAIN, OuterTerminal, Puppet

from .host_latency import tmux_command

AGENTS = ("claude", "codex", "gemini", "kimi", "qwen", "amp", "opencode", "pi", "copilot", "cline")
GRACE, STEP, STAY, ROUNDS = 0.3, 0.02, 1.6, 3
SIZE = "120x40"
STATUS_SET = Path(__file__).resolve().parents[2] / "golden" / "status"
NAMED = {b"\x1b[>q": b"\x1bP>|ghostty 1.4.0\x1b\\", **PLAIN}
Seen = list[tuple[float, str]]

_WORDS = {
    "done": "idle", "Working\u2026": "working", "Waiting": "blocked", "Idle": "idle", "Error": "error",
    "3": "working", "4;100": "blocked", "0": "idle", "2;100": "error",
}  # fmt: skip
_TERMINAL = {
    "program status": re.compile(rb"\x1b\]7501;state=(\w+):app"),
    "iTerm2": re.compile(rb"\x1b\]21337;status=([^;]*);"),
    "orca": re.compile(rb'\x1b\]9999;\{"state": "(\w+)"'),
    "progress": re.compile(rb"\x1b\]9;4;([\d;]+)\x1b\\"),
}
_OUTSIDE = re.compile(rb"\x1b\]7501;state=(\w+):id=pane\.0:app")
_COMMANDS = {
    "herdr": re.compile(r"report-agent .*--state (\w+)"),
    "zellij": re.compile(r'"state": "(\w+)"'),
    "kitten": re.compile(r"dejavu_state=(\w+)"),
}
HOSTS = (*_TERMINAL, *_COMMANDS, "tmux", "outside tmux")


def screens(agent: str) -> list[tuple[str, str, float]]:
    """The screens that an agent draws: at work, asking, at rest, over and over."""
    drawn: dict[str, str] = {}
    for state in ("working", "blocked", "idle"):
        for path in sorted((STATUS_SET / agent).glob(f"*{SIZE}*-{state}.txt"))[:1]:
            head, _, body = path.read_text(encoding="utf-8").partition("---\n")
            facts = tomllib.loads(head)
            row, column = facts.get("cursor") or (0, 0)
            title = f"\x1b]0;{facts.get('title', '')}\x07"
            place = f"\x1b[{row + 1};{column + 1}H"
            drawn[state] = f"{title}{body.rstrip(chr(10))}{place}"
    order = [state for state in ("working", "blocked", "working", "idle") if state in drawn]
    return [(state, drawn[state], STAY) for state in order * ROUNDS]


def environment(scratch: Path, **marks: str) -> dict[str, str]:
    """A throw-away home whose settings ask for everything, and the commands of hosts in its PATH."""
    home, programs = scratch / "home", scratch / "bin"
    (home / ".config/dejavu").mkdir(parents=True)
    programs.mkdir()
    (home / ".config/dejavu/config.toml").write_text("[report]\nterminal_progress = true\n")
    for name in _COMMANDS:
        program = programs / name
        log = shlex.quote(str(scratch / f"{name}.log"))
        program.write_text(f'#!/bin/sh\necho "$(date +%s.%N) $*" >>{log}\n')
        program.chmod(0o755)
    return {"HOME": str(home), "TERM": "xterm-256color", "LANG": "C.UTF-8",
            "PATH": f"{programs}:{os.environ['PATH']}", **marks}  # fmt: skip


def said(terminal: OuterTerminal, pattern: re.Pattern[bytes]) -> Seen:
    return [(at, match[1].decode()) for at, match in terminal.matches(pattern)]


def commands(log: Path, pattern: re.Pattern[str]) -> Seen:
    lines = log.read_text().splitlines() if log.exists() else []
    found = ((line.partition(" ")[0], pattern.search(line)) for line in lines)
    return [(float(at), match[1]) for at, match in found if match is not None]


def direct(agent: str, scratch: Path) -> tuple[Puppet, dict[str, Seen]]:
    """One agent in a terminal that is every host of its kind at once."""
    puppet = Puppet(scratch / "agent", agent, screens(agent))
    environ = environment(
        scratch, ITERM_SESSION_ID="w0", ORCA_PANE_KEY="t:1", HERDR_PANE_ID="p", ZELLIJ="0",
        ZELLIJ_PANE_ID="1", KITTY_WINDOW_ID="1", KITTY_LISTEN_ON="unix:/none",
    )  # fmt: skip
    terminal = OuterTerminal(puppet.argv, environ, KNOWS_STATUS)
    try:
        terminal.run(lambda: puppet.is_done, 90)
    finally:
        terminal.close()
    seen = {host: said(terminal, pattern) for host, pattern in _TERMINAL.items()}
    logs = {host: commands(scratch / f"{host}.log", of) for host, of in _COMMANDS.items()}
    return puppet, seen | logs


def in_tmux(agent: str, scratch: Path) -> tuple[Puppet, dict[str, Seen]]:
    """The same in a pane of a real tmux that passes sequences on."""
    puppet, server = Puppet(scratch / "agent", agent, screens(agent)), scratch / "tmux"
    argv = tmux_command(
        server, "-f", "/dev/null", "set-option", "-g", "allow-passthrough", "on", ";",
        "new-session", "-s", "1", shlex.join(puppet.argv),
    )  # fmt: skip
    terminal, options = OuterTerminal(argv, environment(scratch), NAMED), Seen()
    stop = threading.Event()
    watcher = threading.Thread(target=watch_option, args=(server, stop, options))
    try:
        terminal.run(lambda: bool(terminal.read), 5)
        watcher.start()
        terminal.run(lambda: puppet.is_done, 90)
    finally:
        stop.set()
        watcher.join()
        subprocess.run(tmux_command(server, "kill-server"), check=False, capture_output=True)
        terminal.close()
    return puppet, {"tmux": options, "outside tmux": said(terminal, _OUTSIDE)}


def watch_option(server: Path, stop: threading.Event, seen: Seen) -> None:
    """Ask for the pane's option every few hundredths of a second."""
    command = tmux_command(server, "display", "-p", "-t", "1", "#{@dejavu_state}")
    while not stop.wait(0.03):
        state = subprocess.run(command, capture_output=True, text=True).stdout.strip()
        if state and (not seen or seen[-1][1] != state):
            seen.append((time.time(), state))


def moments(puppet: Puppet, seen: Seen) -> Iterable[bool]:
    """Whether the host was right, at each moment that is looked at."""
    truth = puppet.moments
    for number, (state, began) in enumerate(truth):
        ends = truth[number + 1][1] if number + 1 < len(truth) else began + STAY
        at = began + GRACE
        while at < ends:
            shown = [word for when, word in seen if when <= at]
            yield bool(shown) and _WORDS.get(shown[-1], shown[-1]) == state
            at += STEP


def delays(puppet: Puppet, seen: Seen) -> Iterable[tuple[str, float]]:
    """Each change, and the seconds until the host had read it, where it did before the next."""
    truth = puppet.moments
    for number, (state, began) in enumerate(truth):
        ends = truth[number + 1][1] if number + 1 < len(truth) else began + STAY
        for when, word in seen:
            if began <= when < ends and _WORDS.get(word, word) == state:
                yield state, when - began
                break


def play(agent: str) -> dict[str, tuple[list[bool], list[tuple[str, float]]]]:
    """Every host of one agent: what was right, and how late changes were read."""
    found: dict[str, tuple[list[bool], list[tuple[str, float]]]] = {}
    runs: tuple[Callable[[str, Path], tuple[Puppet, dict[str, Seen]]], ...] = (direct, in_tmux)
    for run in runs:
        with tempfile.TemporaryDirectory(prefix="dvh", ignore_cleanup_errors=True) as scratch:
            puppet, hosts = run(agent, Path(scratch))
            for host, seen in hosts.items():
                found[host] = list(moments(puppet, seen)), list(delays(puppet, seen))
    return found


def share(values: list[bool]) -> str:
    return f"{100 * sum(values) / len(values):.1f}" if values else "-"


def main() -> None:
    names = sys.argv[1:] or AGENTS
    print(f"| agent | {' | '.join(HOSTS)} |\n|---|{'---|' * len(HOSTS)}")
    every: dict[str, tuple[list[bool], list[tuple[str, float]]]] = {
        host: ([], []) for host in HOSTS
    }
    for agent in names:
        found = play(agent)
        for host, (right, late) in found.items():
            every[host][0].extend(right)
            every[host][1].extend(late)
        print(f"| {agent} | {' | '.join(share(found[host][0]) for host in HOSTS)} |", flush=True)
    print(f"| all | {' | '.join(share(every[host][0]) for host in HOSTS)} |")
    late = {host: sorted(seconds for _, seconds in every[host][1]) for host in HOSTS}
    for part in (50, 95):
        cells = [f"{1000 * of[min(len(of) - 1, len(of) * part // 100)]:.0f}" if of else "-"
                 for of in late.values()]  # fmt: skip
        print(f"| p{part}, ms | {' | '.join(cells)} |")
    compared = sum(len(right) for right, _ in every.values())
    changes = [change for _, late in every.values() for change in late]
    over = Counter(state for state, seconds in changes if seconds > GRACE)
    load = round(os.getloadavg()[0], 1)
    told = {"moments": compared, "changes": len(changes), "later than 300 ms": over, "load": load}
    print(json.dumps(told))


if __name__ == "__main__":
    main()
