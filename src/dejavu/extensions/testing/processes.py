"""The processes of a program under test: how much time they had, and their certain end.

Reads `/proc` where there is one (Linux); elsewhere time is the clock's and the end reaches the
program's process groups. O(threads of the program) a look, O(processes of the machine) an end.
"""

import os
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

MARKER = "DEJAVU_TERMINAL"
"""The variable by which processes are known, whatever session they moved to."""
_PROC = Path("/proc")
_MOST = 200  # processes looked at
_BUSY_SHARE = 1 / 20
_HANGUP_GRACE = 1.0
_KILL_GRACE = 5.0


class Activity:
    """How much time a program had since the last look, which a loaded machine makes less.

    Asleep it had the time that passed. Running, or waiting for a processor or a disk, it had a
    twentieth of the processor time it got: a program that starts up is not at rest, and one that
    spins for ever is in the end. So a starved program is never taken for a quiet one.
    """

    def __init__(self, pid: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._pid, self._clock = pid, clock
        self._at, self._ran = clock(), 0.0

    def elapsed(self) -> float:
        """Seconds the program had since the last call."""
        now = self._clock()
        passed, self._at = now - self._at, now
        sample = self._sample()
        if sample is None:
            return passed
        running, ran = sample
        used, self._ran = max(0.0, ran - self._ran), ran
        return min(passed, used * _BUSY_SHARE) if running else max(0.0, passed - used)

    def _sample(self) -> tuple[bool, float] | None:
        """Whether any thread wants to run, and the seconds all ran; None where it is not known."""
        pending, running, ran, visited = [self._pid], False, 0, 0
        while pending and visited < _MOST:
            visited += 1
            for task in _tasks(pending.pop()):
                try:
                    running |= _fields(task / "stat")[0] in "RD"
                    ran += int((task / "schedstat").read_text().split()[0])
                    pending += map(int, (task / "children").read_text().split())
                except (OSError, ValueError, IndexError):
                    continue  # it ended, or the kernel was built without
        return (running, ran / 1e9) if visited and ran else None


def _tasks(pid: int) -> list[Path]:
    try:
        return list((_PROC / str(pid) / "task").iterdir())
    except OSError:
        return []


def _fields(stat: Path) -> list[str]:
    """The fields after the name: state, parent, group, session ..."""
    return stat.read_text().rpartition(")")[2].split()


def _markers(environment: Path) -> list[str]:
    """The markers of a process: a program under test may be a test run with its own programs."""
    for entry in environment.read_bytes().split(b"\0"):
        if entry.startswith(f"{MARKER}=".encode()):
            return entry.decode("ascii", "replace").partition("=")[2].split(":")
    return []


def alive(marker: str, session: int | None = None) -> Iterator[int]:
    """Yield the processes that carry `marker` in their environment or belong to `session`.

    A session counts only while its leader is ours to wait for, as its number is free after that,
    and never that of this process or of the system (0 and 1). Raise ValueError without a marker.
    """
    if not marker:
        raise ValueError("the marker is empty")
    own = os.getpid()
    if session is not None and (session <= 1 or session == os.getsid(0)):
        session = None
    for folder in _PROC.iterdir() if _PROC.is_dir() else ():
        if not folder.name.isdigit() or int(folder.name) in (1, own):
            continue
        try:
            fields = _fields(folder / "stat")
            if fields[0] != "Z" and (
                (session is not None and int(fields[3]) == session)
                or marker in _markers(folder / "environ")
            ):
                yield int(folder.name)
        except (OSError, ValueError, IndexError):
            continue  # it ended, or is another user's


def end(marker: str, session: int | None, groups: set[int]) -> list[int]:
    """End every process of a program whose terminal was just hung up; return what would not go.

    They get a second to go by themselves, then SIGKILL, again until none is left. The caller waits
    for the leader of `session` only afterwards. `groups` are ended where there is no /proc.
    """
    if not _PROC.is_dir():
        for group in groups - {0, 1, os.getpgrp()}:
            with suppress(OSError):
                os.killpg(group, signal.SIGKILL)
        return []
    started = time.monotonic()
    killing = started + _HANGUP_GRACE
    while (now := time.monotonic()) < killing + _KILL_GRACE:
        survivors = list(alive(marker, session))
        if not survivors:
            return []
        for pid in survivors if now >= killing else ():
            with suppress(OSError):
                os.kill(pid, signal.SIGKILL)
        # Nothing tells when processes that are not our children end: they are looked at again.
        time.sleep(min(0.05, 0.002 + (now - started) / 10))
    return list(alive(marker, session))
