"""Signals, taken in the loop and not where they strike.

A handler only notes its number; the wakeup descriptor makes poll(2) return. What was ignored when
we were started (nohup) stays ignored, for the agent too.
"""

from __future__ import annotations

import os
import signal
from contextlib import suppress

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from types import FrameType, TracebackType
    from typing import Any

FORWARDED = (
    signal.SIGTERM, signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGUSR1, signal.SIGUSR2,
)  # fmt: skip
"""What a session hands on to its agent."""
JOB_CONTROL = (signal.SIGTSTP, signal.SIGCONT, signal.SIGWINCH)
"""What a terminal's job gets besides."""


class SignalWatcher:
    """The signals `numbers`, noted inside a `with` (main thread only) and as before after it.

    `fd` is readable when `take` has something.
    """

    def __init__(self, numbers: Iterable[int]) -> None:
        self._numbers = [n for n in numbers if signal.getsignal(n) != signal.SIG_IGN]
        self._noted: set[int] = set()
        self._former: dict[int, Any] = {}
        self._former_fd = -1
        self.fd = -1
        self._end = -1

    def __enter__(self) -> SignalWatcher:
        self.fd, self._end = os.pipe()
        os.set_blocking(self.fd, False)
        os.set_blocking(self._end, False)
        self._former_fd = signal.set_wakeup_fd(self._end, warn_on_full_buffer=False)
        for number in self._numbers:
            self._former[number] = signal.signal(number, self._note)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for number, handler in self._former.items():
            signal.signal(number, handler)
        signal.set_wakeup_fd(self._former_fd)
        os.close(self.fd)
        os.close(self._end)

    def _note(self, number: int, _frame: FrameType | None) -> None:
        self._noted.add(number)

    def take(self) -> list[int]:
        """What came since the last time, each once, in the order of the numbers."""
        with suppress(BlockingIOError):
            os.read(self.fd, 65536)
        taken: list[int] = []
        while self._noted:
            taken.append(self._noted.pop())
        return sorted(taken)

    def discard(self, number: int) -> None:
        """Forget that `number` came."""
        self._noted.discard(number)

    def share(self, number: int) -> None:
        """Send a signal of the keyboard to the others of our job, which the agent alone would get."""
        former = signal.signal(number, signal.SIG_IGN)
        try:
            with suppress(OSError):
                os.killpg(0, number)
        finally:
            signal.signal(number, former)

    def suspend(self, *, whole_group: bool) -> None:
        """Suspend this process (with `whole_group` its job) as ^Z would; returns when continued.

        Where no shell could continue it (an orphaned process group) the kernel ignores this.
        """
        signal.signal(signal.SIGTSTP, signal.SIG_DFL)
        try:
            os.kill(0 if whole_group else os.getpid(), signal.SIGTSTP)
        finally:
            if signal.SIGTSTP in self._former:
                signal.signal(signal.SIGTSTP, self._note)


def die_of(number: int) -> None:
    """Die of a signal as the agent did, so that our parent sees what it would without us.

    No core is dumped: it would be ours. Returns where the signal does not end this process, which is
    so for the first one of a container.
    """
    import resource

    with suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))
    with suppress(OSError, ValueError):  # SIGKILL has no handler
        signal.signal(number, signal.SIG_DFL)
    with suppress(OSError, ValueError):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, [number])
        os.kill(os.getpid(), number)


def reached_foreground(number: int) -> bool:
    """Whether the keyboard sent this signal to our whole process group, the agent included.

    That is so for ^C and its quit key where we run in the foreground of a terminal.
    """
    if number not in (signal.SIGINT, signal.SIGQUIT):
        return False
    try:
        terminal = os.open("/dev/tty", os.O_RDONLY | os.O_NOCTTY)
    except OSError:
        return False
    try:
        return os.tcgetpgrp(terminal) == os.getpgrp()
    except OSError:
        return False
    finally:
        os.close(terminal)
