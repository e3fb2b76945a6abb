"""The operator's command that runs when a session's state changes.

Runs `[hooks] on_change` of config.toml by `sh -c`, with the change on its stdin as one JSON
document. Never waits for it: one runs at a time, at most one a second, each at most `LIMIT`
seconds. Changes that come too fast are told as one: the last state, with the state that was told
before it in `previous`. The command gets its own process group, no terminal, and nowhere to
print.
"""

import json
import os
import signal
import subprocess
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from .session_store import process_started

LIMIT = 10.0
"""Seconds the command may take."""

EVERY = 1.0
"""Seconds between two starts, at the least."""

_CHECK = 0.1
"""Seconds between two looks whether it has ended, while another change waits for that."""


class InheritedCommand:
    """A running command that was started for this session by the process before this one.

    Only that one can wait for it; here it is looked at.
    """

    def __init__(self, command: "subprocess.Popen[bytes] | InheritedCommand") -> None:
        self.pid: int = command.pid
        self._started = process_started(self.pid)
        if isinstance(command, subprocess.Popen):
            command.returncode = 0  # or it would be waited for

    def poll(self) -> int | None:
        """None while it runs; how it ended is not known here."""
        runs = self._started is not None and process_started(self.pid) == self._started
        return None if runs else 0

    def wait(self, timeout: float = float("inf")) -> None:
        """Wait for its end; raises `subprocess.TimeoutExpired` after so many seconds."""
        end = time.monotonic() + timeout
        while self.poll() is None:
            if time.monotonic() > end:
                raise subprocess.TimeoutExpired("the command", timeout)
            time.sleep(_CHECK / 10)

    def kill(self) -> None:
        """End it."""
        if self.poll() is None:
            with suppress(OSError):
                os.kill(self.pid, signal.SIGKILL)


class OnChange:
    """Runs one session's command; `note` takes a sentence when something goes wrong."""

    def __init__(self, command: str, note: Callable[[str], None]) -> None:
        self._command, self._note = command, note
        self._running: subprocess.Popen[bytes] | InheritedCommand | None = None
        self._started = float("-inf")
        self._checked = 0.0
        self._waiting: dict[str, Any] | None = None
        self._told: str | None = None

    @property
    def due(self) -> float | None:
        """Unix seconds of the next tick wanted."""
        if self._running is not None:
            limit = self._started + LIMIT
            return limit if self._waiting is None else min(limit, self._checked + _CHECK)
        return None if self._waiting is None else self._started + EVERY

    def changed(self, change: dict[str, Any], now: float) -> None:
        """A session changed; `change["state"]` is its new state."""
        self._waiting = change
        self.tick(now)

    def tick(self, now: float) -> None:
        """End what takes too long, start what waits. Never blocks, never raises."""
        running, self._checked = self._running, now
        if running is not None:
            code = running.poll()
            if code is None:
                if now < self._started + LIMIT:
                    return
                self._kill(running)
            elif code != 0:
                self._note(f"on_change failed with exit code {code}")
            self._running = None
        if self._waiting is not None and now >= self._started + EVERY:
            change, self._waiting, self._started = self._waiting, None, now
            if change["state"] != self._told:
                self._start({**change, "previous": self._told})
                self._told = change["state"]

    def moved(self) -> None:
        """Continue, in this process, what another began."""
        if self._running is not None:
            self._running = InheritedCommand(self._running)

    def close(self) -> None:
        """Tell what waits, and let it end within its limit."""
        end = time.monotonic() + 2 * LIMIT
        while self.due is not None and time.monotonic() < end:
            self.tick(time.time())
            if self._running is not None and self._waiting is None:
                with suppress(subprocess.TimeoutExpired):
                    self._running.wait(max(0.0, self._started + LIMIT - time.time()))
            elif self._waiting is not None:
                time.sleep(_CHECK)

    def _start(self, change: dict[str, Any]) -> None:
        try:
            self._running = running = subprocess.Popen(
                ["/bin/sh", "-c", self._command],
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            )
        except OSError as error:
            self._note(f"on_change could not be started: {error.strerror}")
            return
        stdin = running.stdin
        assert stdin is not None  # noqa: S101 - for the type checkers
        os.set_blocking(stdin.fileno(), False)
        # A change is far smaller than a pipe; a command that reads nothing misses nothing.
        with suppress(OSError):
            stdin.write(json.dumps(change).encode() + b"\n")
        with suppress(OSError):
            stdin.close()

    def _kill(self, running: subprocess.Popen[bytes] | InheritedCommand) -> None:
        with suppress(OSError):
            os.killpg(running.pid, signal.SIGKILL)
        running.wait()
        self._note(f"on_change took more than {LIMIT:g} s and was ended")
