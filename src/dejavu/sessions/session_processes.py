"""The processes of a wrapped agent: its terminal's session and what is below it, to be ended.

A session is what the kernel calls one (setsid(2)): a child that a launcher leaves is still in it,
whatever its process group and its parent. The session's leader is ours (`capsule.pty`) and
is none of them. Signals go to a process by number and start: another may have the number by then.
By `/proc`, and by `ps` where there is none. Cost: O(processes of this machine) a look.

Tested in: tests/sessions/test_stop_session.py
"""

import os
import signal
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from .process_table import process_rows
from .session_store import process_started

_PROC = Path("/proc")


class Process(NamedTuple):
    """One process; `started` as `session_store.process_started` tells it."""

    pid: int
    parent: int
    session: int
    started: int
    name: str

    def __str__(self) -> str:
        return f"{self.name} (pid {self.pid})"


def session_of(agent: int, wrapper: int) -> int:
    """The session that a wrapper made for its agent; 0 where it runs in the wrapper's own (a pipe)."""
    try:
        session = os.getsid(agent)
        return 0 if session == os.getsid(wrapper) else session
    except OSError:
        return 0


def agent_process(agent: int, wrapper: int, session: int) -> list[Process]:
    """The agent itself, if the process of that number is still a child of its wrapper or leader."""
    row = _read(agent) if _has_proc() else next((r for r in _processes() if r.pid == agent), None)
    return [row] if row is not None and row.parent in (wrapper, session) else []


def members(session: int, known: Iterable[Process]) -> list[Process]:
    """What runs of the `known` processes, what is below them, and a session (0: none)."""
    rows = {row.pid: row for row in _processes()}
    children: dict[int, list[int]] = {}
    for row in rows.values():
        children.setdefault(row.parent, []).append(row.pid)
    waiting = [row.pid for row in known if row.pid in rows and rows[row.pid].started == row.started]
    waiting += [row.pid for row in rows.values() if session and row.session == session]
    found = {session, os.getpid()}
    while waiting:
        if (current := waiting.pop()) not in found:
            found.add(current)
            waiting += children.get(current, ())
    return [rows[pid] for pid in sorted(found - {session, os.getpid()})]


def send(processes: Iterable[Process], *numbers: int) -> None:
    """Send signals to processes that are still the same."""
    for process in processes:
        for number in numbers:
            if process_started(process.pid) in (process.started, 0):
                with suppress(ProcessLookupError, PermissionError):
                    os.kill(process.pid, signal.Signals(number))


def ignores_sigterm(process: Process) -> bool:
    """Whether a process ignores SIGTERM, as interactive shells do; False where that is not told."""
    try:
        status = (_PROC / str(process.pid) / "status").read_bytes()
        ignored = int(status.partition(b"\nSigIgn:")[2].split(None, 1)[0], 16)
    except (OSError, ValueError, IndexError):
        return False
    return bool(ignored >> (signal.SIGTERM - 1) & 1)


def _processes() -> list[Process]:
    """Every process that has not ended."""
    if not _has_proc():
        return [
            Process(row.pid, row.parent, _session(row.pid), row.started, _name(row.command))
            for row in process_rows()
            if row.state[:1] != "Z"
        ]
    return [
        process
        for entry in os.listdir(_PROC)  # noqa: PTH208 - a path for each is not worth its time
        if entry.isdecimal() and (process := _read(int(entry))) is not None
    ]


def _has_proc() -> bool:
    return (_PROC / "self" / "stat").exists()


def _read(pid: int) -> Process | None:
    try:
        stat = (_PROC / str(pid) / "stat").read_bytes()
    except OSError:
        return None
    head, _, tail = stat.rpartition(b")")
    fields = tail.split()
    if fields[0] in (b"Z", b"X"):
        return None
    name = os.fsdecode(head.partition(b"(")[2])
    return Process(pid, int(fields[1]), int(fields[3]), int(fields[19]), name)


def _session(pid: int) -> int:
    try:
        return os.getsid(pid)
    except OSError:
        return 0


def _name(command: str) -> str:
    return command.split(" ", 1)[0].rpartition("/")[2]
