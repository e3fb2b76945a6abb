"""kill -9 the observer, the wrapper, then both, at random moments of a session.

Afterwards the terminal is usable (or the doctor's hint mends it), every turn that was
acknowledged is there, and the archive opens and is whole. Where the observer alone was killed, the
one that follows it archives the session. A few times in the suite; `make soak` does it 100 times each.
"""

import contextlib
import os
import pty
import random
import select
import signal
import subprocess
import sys
import termios
import time
from pathlib import Path

import pytest

from dejavu.archive import Archive

VICTIMS = ["observer", "wrapper", "both"]
BOUND = 60.0


def observer_of(wrapper: int) -> int | None:
    """The pid of the wrapper's observer, once it runs."""
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        with contextlib.suppress(OSError):
            stat = (entry / "stat").read_text().rpartition(")")[2].split()
            if int(stat[1]) == wrapper and b"sessions.observer" in (entry / "cmdline").read_bytes():
                return int(entry.name)
    return None


def alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def turns_in(root: Path) -> dict[str, int]:
    """Conversation -> turns, as any reader sees them: what is here was acknowledged."""
    if not (root / "archive.json").exists():
        return {}
    with Archive.open(root, create=False, readonly=True) as archive:
        return {summary.id: summary.turn_count for summary in archive.scan()}


class Terminal:
    """The user's terminal: its modes, and somebody who reads what is written."""

    def __init__(self) -> None:
        self.master, self.slave = pty.openpty()
        termios.tcsetwinsize(self.slave, (24, 80))

    def drain(self, seconds: float) -> None:
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            if select.select([self.master], [], [], left)[0]:
                os.read(self.master, 65536)

    @property
    def cooked(self) -> bool:
        local = termios.tcgetattr(self.slave)[3]
        return bool(local & termios.ECHO and local & termios.ICANON)

    def close(self) -> None:
        os.close(self.slave)
        os.close(self.master)


def wait_for_end(pid: int, terminal: Terminal) -> None:
    end = time.monotonic() + BOUND
    while alive(pid) and time.monotonic() < end:
        terminal.drain(0.05)
    assert not alive(pid), f"process {pid} did not end"


def wait_for_turns(root: Path, earlier: dict[str, int]) -> None:
    """Wait for turns of a conversation that is not among the `earlier` ones."""
    end = time.monotonic() + BOUND
    while not any(count for key, count in turns_in(root).items() if key not in earlier):
        assert time.monotonic() < end, "no observer followed the one that was killed"
        time.sleep(0.1)


def drill(victim: str, home: Path, chance: random.Random) -> None:
    root = home / ".local/share/dejavu/archive"
    terminal = Terminal()
    earlier = turns_in(root)
    wrapper = subprocess.Popen(
        [sys.executable, "-m", "dejavu.interfaces.run", "--screen", "demo", "--speed", "6"],
        stdin=terminal.slave, stdout=terminal.slave, stderr=terminal.slave, start_new_session=True,
    )  # fmt: skip
    try:
        terminal.drain(chance.uniform(0.2, 2.5))
        observer = observer_of(wrapper.pid)
        before = turns_in(root)
        if victim in ("observer", "both") and observer is not None:
            os.kill(observer, signal.SIGKILL)
        if victim in ("wrapper", "both"):
            wrapper.kill()
        wait_for_end(wrapper.pid, terminal)
        code = wrapper.wait(10)
        if observer is not None:
            wait_for_end(observer, terminal)
        if victim == "observer":
            assert code == 0
            assert terminal.cooked
            if observer is not None:
                wait_for_turns(root, earlier)
        elif not terminal.cooked:
            fix = [sys.executable, "-m", "dejavu.interfaces.cli", "doctor", "--fix-tty"]
            subprocess.run(fix, stdin=terminal.slave, stdout=terminal.slave, timeout=60, check=True)
            assert terminal.cooked
        after = turns_in(root)
        assert all(after.get(key, 0) >= count for key, count in before.items())
        if root.exists():
            with Archive.open(root) as archive:
                assert archive.maintenance.verify().clean
    finally:
        if wrapper.poll() is None:
            wrapper.kill()
            wrapper.wait(10)
        terminal.close()


@pytest.mark.parametrize("victim", VICTIMS)
def test_killed_a_few_times(victim: str, home: Path) -> None:
    chance = random.Random(victim)
    for _ in range(3):
        drill(victim, home, chance)


@pytest.mark.soak
@pytest.mark.parametrize("victim", VICTIMS)
def test_killed_a_hundred_times(victim: str, home: Path) -> None:
    chance = random.Random(f"soak {victim}")
    for _ in range(100):
        drill(victim, home, chance)
