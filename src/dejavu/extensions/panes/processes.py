"""Which agent runs in a pane, by the processes below its first one, or on its terminal.

By `/proc`, and by `ps` where there is none (macOS): without environments and folders, which it does
not tell. A pane whose agent was started by `dejavu-run` has none here: that session is
followed already. Cost: O(processes in the pane), at most `_MOST` of them.
"""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from dejavu.providers.registry import agent_of, agents, find_agent
from dejavu.sessions.process_table import ProcessRow, below, process_rows
from dejavu.sessions.session_store import process_started

from .multiplexer import Pane

_MOST = 200
_PROCESSES = 5000
_PROC = Path("/proc")
_WRAPPERS = ("dejavu-run", "dejavu.interfaces.run")
_WORDS = 4096  # bytes of a command line that are looked at; an agent is in its first words
_ENVIRON = 256 << 10
_CLOCK = os.sysconf("SC_CLK_TCK")


class AgentProcess(NamedTuple):
    """An agent that runs: `started` in clock ticks since boot, `started_at` in Unix seconds."""

    agent: str
    pid: int
    argv: list[str]
    started: int
    started_at: float


def agent_in(pane: Pane) -> AgentProcess | None:
    """The agent that a pane runs."""
    found = agent_below(pane.pid) if pane.pid else None
    return agent_on_terminal(pane.tty) if found is None and pane.tty else found


def agent_below(pid: int) -> AgentProcess | None:
    """The first agent at or below process `pid`, nearest first; None for a wrapped one."""
    if not _PROC.is_dir():
        return _first_agent(pid, process_rows())
    for current, argv in _tree(pid):
        name = agent_of_process(argv)
        if name is not None and (started := process_started(current)):
            return AgentProcess(name, current, argv, started, _unix_time(started))
    return None


def agent_on_terminal(tty: str) -> AgentProcess | None:
    """The first agent among the processes whose controlling terminal is `tty`, the oldest first."""
    try:
        number = os.stat(tty).st_rdev  # noqa: PTH116 - one stat, no second `Path`
    except (OSError, ValueError):
        return None
    device = os.major(number), os.minor(number)
    if not _PROC.is_dir():
        rows = process_rows()
        on_it = {row.pid for row in rows if os.path.basename(tty) in (row.tty, f"tty{row.tty}")}  # noqa: PTH119 - a name, no path
        first = [row.pid for row in rows if row.pid in on_it and row.parent not in on_it]
        return next((found for pid in first if (found := _first_agent(pid, rows))), None)
    leaders: list[int] = []
    for entry in _PROC.iterdir():
        if entry.name.isdecimal():
            fields = _stat(int(entry.name))
            # Session leaders alone: the rest of the terminal's processes stand below them.
            if fields and _device(fields) == device and fields[3] == entry.name:
                leaders.append(int(entry.name))
    return next((found for pid in sorted(leaders) if (found := agent_below(pid))), None)


def _first_agent(pid: int, rows: list[ProcessRow]) -> AgentProcess | None:
    """As `agent_below`, in what `ps` told; words of a command line are cut at its blanks."""
    passed = set[int]()  # what is on another terminal or below a wrapper of ours
    terminal: str | None = None
    for row in below(pid, rows):
        terminal = row.tty if terminal is None else terminal
        argv = row.command.split()
        wrapped = any(word.rpartition("/")[2] in _WRAPPERS for word in argv[:4])
        if wrapped or row.tty != terminal or row.parent in passed:
            passed.add(row.pid)
        elif (name := agent_of_process(argv)) is not None:
            return AgentProcess(name, row.pid, argv, row.started, float(row.started))
    return None


def environment_of(pid: int) -> dict[str, str]:
    """The environment a process was started with; empty where it cannot be read."""
    try:
        with (_PROC / str(pid) / "environ").open("rb") as file:
            text = file.read(_ENVIRON)
    except OSError:
        return {}
    pairs = (entry.partition(b"=") for entry in text.split(b"\0"))
    return {os.fsdecode(name): os.fsdecode(value) for name, mark, value in pairs if mark}


def processes_with(names: tuple[str, ...]) -> list[tuple[int, dict[str, str]]]:
    """Our processes that have all of these variables, with their values; the oldest first."""
    found: list[tuple[int, dict[str, str]]] = []
    if not _PROC.is_dir():
        return found
    numbers = sorted(int(entry.name) for entry in _PROC.iterdir() if entry.name.isdecimal())
    for pid in numbers[-_PROCESSES:]:
        values = environment_of(pid)
        if all(values.get(name) for name in names):
            found.append((pid, {name: values[name] for name in names}))
    return found


def working_folder(pid: int) -> str:
    """Where a process works; empty where that is not told."""
    try:
        return str((_PROC / str(pid) / "cwd").readlink())
    except OSError:
        return ""


def agent_of_process(argv: list[str]) -> str | None:
    """The agent that a running command line is, or None.

    Besides the names that people type: the module of an agent that comes with us, and the package's
    folder of a script run by its path (`node .../node_modules/@scope/agent-cli/index.js`).
    """
    if not argv:
        return None
    for agent in agents().values():
        if agent.module and agent.module in argv[1:4]:  # behind `-P -m`
            return agent.name
    words = argv[0].split() if len(argv) == 1 else argv  # a process may have renamed itself
    name = agent_of(words[:4])
    if name in agents():
        return name
    for word in words[:4]:
        _, mark, inside = word.partition("/node_modules/")
        for part in inside.split("/")[:2] if mark else ():
            found = find_agent(part) or find_agent(part.removesuffix("-cli").removesuffix("-code"))
            if found is not None:
                return found.name
    return None


def _tree(pid: int) -> Iterator[tuple[int, list[str]]]:
    """The processes at and below `pid`, breadth first; none below a wrapper of ours."""
    waiting, count, terminal = [pid], 0, _device(_stat(pid))
    while waiting and count < _MOST:
        current = waiting.pop(0)
        count += 1
        argv = _command_line(current)
        # What has its own terminal (in an editor, under `script`) is not what the pane shows.
        wrapped = any(word.rpartition("/")[2] in _WRAPPERS for word in argv[:4])
        if wrapped or _device(_stat(current)) != terminal:
            continue
        yield current, argv
        waiting += _children(current)


def _children(pid: int) -> list[int]:
    try:
        text = (_PROC / str(pid) / "task" / str(pid) / "children").read_text()
    except OSError:
        return []
    return [int(word) for word in text.split()]


def _command_line(pid: int) -> list[str]:
    try:
        with (_PROC / str(pid) / "cmdline").open("rb") as file:
            text = file.read(_WORDS)
    except OSError:
        return []
    return [os.fsdecode(word) for word in text.rstrip(b"\0").split(b"\0")] if text else []


def _stat(pid: int) -> list[str]:
    """The fields of `stat` behind the name: state, ppid, pgrp, session, tty ..."""
    try:
        return (_PROC / str(pid) / "stat").read_bytes().rpartition(b")")[2].decode().split()
    except OSError:
        return []


def _device(fields: list[str]) -> tuple[int, int]:
    """The controlling terminal's major and minor number (proc_pid_stat(5), tty_nr)."""
    if not fields:
        return 0, 0
    number = int(fields[4])
    return number >> 8 & 0xFFF, number & 0xFF | number >> 12 & 0xFFF00


def _unix_time(ticks: int) -> float:
    """The Unix time of a moment in clock ticks since boot."""
    text = (_PROC / "stat").read_text()
    boot = next(int(line.split()[1]) for line in text.splitlines() if line.startswith("btime "))
    return boot + ticks / _CLOCK
