"""Whether a wrapped agent is at work, by the CPU time of its processes.

A tie-break only: it is asked where the screen says nothing. O(processes of the agent), at most 200;
without `/proc` (macOS) one run of `ps`.
"""

import os
import time
from pathlib import Path

from ..process_table import below, process_rows

_MOST = 200
_PAGE = 1 << 14
_PROC = Path("/proc")
_SHARE = 0.15
"""Of one core, above which processes are at work: a spinner alone takes less."""


class CpuActivity:
    """The processes below `pid`."""

    def __init__(self, pid: int) -> None:
        self._pid = pid
        self._ticks = os.sysconf("SC_CLK_TCK")
        self._last: tuple[float, float | None] | None = None

    def is_busy(self) -> bool | None:
        """Whether they used more than `_SHARE` of a core since the last call; None: not known."""
        burned, now = self._cpu_seconds(), time.monotonic()
        last, self._last = self._last, (now, burned)
        if last is None or burned is None or last[1] is None or now - last[0] < 0.05:
            return None
        return (burned - last[1]) / (now - last[0]) > _SHARE

    def _cpu_seconds(self) -> float | None:
        """CPU seconds of the whole tree, those of ended children included; None if it is gone."""
        waiting, total, count = [self._pid], 0, 0
        if not _PROC.is_dir():
            times = [row.cpu for row in below(self._pid, process_rows())]
            return sum(times) if times else None
        if not (_PROC / str(self._pid) / "stat").exists():
            return None
        while waiting and count < _MOST:
            pid = waiting.pop()
            count += 1
            try:
                stat = _read(f"/proc/{pid}/stat").rpartition(b")")[2].split()
                children = _read(f"/proc/{pid}/task/{pid}/children").split()
            except OSError:
                continue
            total += sum(int(field) for field in stat[11:15])  # utime, stime, and the children's
            waiting += [int(child) for child in children]
        return total / self._ticks


def _read(path: str) -> bytes:
    """A file of `/proc`. It is read at every frame: `Path.read_text` takes three times as long."""
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        data = os.read(descriptor, _PAGE)
        while more := os.read(descriptor, _PAGE):
            data += more
        return data
    finally:
        os.close(descriptor)
