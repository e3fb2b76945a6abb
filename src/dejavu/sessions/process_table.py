"""What `ps` tells of processes, where there is no `/proc` (macOS, the BSDs). One program a call.

Standard library only: the wrapper asks when it starts. The columns are those of POSIX and of
`ps` of macOS; a start is to the second.
"""

import os
import subprocess
import time
from collections.abc import Iterator
from typing import NamedTuple

PS = "/bin/ps"
_LONGEST = 5.0  # seconds
_MOST = 200


class ProcessRow(NamedTuple):
    """`started` in Unix seconds, `cpu` in seconds; `command` is the line with its blanks."""

    pid: int
    parent: int
    started: int
    cpu: float
    state: str
    tty: str
    command: str


def process_rows(pid: int | None = None) -> list[ProcessRow]:
    """One process, or all of them; empty where `ps` cannot be asked."""
    columns = "pid=,ppid=,lstart=,time=,state=,tty=,command="
    which = ["-A"] if pid is None else ["-p", str(pid)]
    try:
        done = subprocess.run(
            [PS, "-ww", "-o", columns, *which],
            env={"LC_ALL": "C", "PATH": "/bin:/usr/bin"}, capture_output=True, check=False,
            stdin=subprocess.DEVNULL, timeout=_LONGEST,
        )  # fmt: skip
    except (OSError, subprocess.SubprocessError):
        return []
    lines = os.fsdecode(done.stdout).splitlines()
    return [row for line in lines if (row := _row(line)) is not None]


def below(pid: int, rows: list[ProcessRow]) -> Iterator[ProcessRow]:
    """The processes at and below `pid`, breadth first, at most `_MOST`."""
    by_pid = {row.pid: row for row in rows}
    children: dict[int, list[int]] = {}
    for row in rows:
        children.setdefault(row.parent, []).append(row.pid)
    waiting, seen = [pid], set[int]()
    while waiting and len(seen) < _MOST:
        current = waiting.pop(0)
        if current in by_pid and current not in seen:
            seen.add(current)
            yield by_pid[current]
            waiting += children.get(current, [])


def _row(line: str) -> ProcessRow | None:
    words = line.split(None, 10)
    try:
        pid, parent = int(words[0]), int(words[1])
        started = int(time.mktime(time.strptime(" ".join(words[2:7]), "%a %b %d %H:%M:%S %Y")))
        cpu, command = _seconds(words[7]), "".join(words[10:])
        return ProcessRow(pid, parent, started, cpu, words[8], words[9], command)
    except (ValueError, IndexError, OverflowError):
        return None


def _seconds(text: str) -> float:
    """`[days-]hours:minutes:seconds`, or macOS's `minutes:seconds.hundredths`."""
    days, _, clock = text.rpartition("-")
    total = 0.0
    for part in clock.split(":"):
        total = total * 60 + float(part)
    return total + 86400 * int(days or 0)
