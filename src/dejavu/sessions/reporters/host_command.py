"""A host's command at every change, never waited for.

One runs at a time, for `LIMIT` seconds at most; of changes that come meanwhile the last is reported. A
command that cannot be started is not tried again. Arguments are passed as they are: no shell.

Tested in: tests/sessions/reporters/test_reporters.py
"""

import subprocess
from collections.abc import Callable, Sequence
from contextlib import suppress

from ..on_change import InheritedCommand

LIMIT = 3.0
"""Seconds that a host may take."""

_CHECK = 0.05
"""Seconds between two looks whether it has ended."""


class HostCommand:
    """Runs the commands of one host. `note` takes a sentence when it fails."""

    def __init__(self, host: str, note: Callable[[str], None]) -> None:
        self._host, self._note = host, note
        self._running: subprocess.Popen[bytes] | InheritedCommand | None = None
        self._waiting: Sequence[str] | None = None
        self._started = self._checked = 0.0
        self._dead = False

    @property
    def due(self) -> float | None:
        """Unix seconds of the next tick wanted."""
        return None if self._running is None else self._checked + _CHECK

    def run(self, command: Sequence[str], now: float) -> None:
        """Run a command as soon as the one before has ended."""
        if not self._dead:
            self._waiting = command
            self.tick(now)

    def tick(self, now: float) -> None:
        """End what takes too long, start what waits. Never blocks, never raises."""
        self._checked = now
        running = self._running
        if running is not None:
            if running.poll() is None:
                if now < self._started + LIMIT:
                    return
                with suppress(OSError):
                    running.kill()
                running.wait()
                self._note(
                    f"{self._host} took more than {LIMIT:g} s to be told, and was left alone"
                )
                self._dead = True
            self._running = None
        if self._waiting is not None and not self._dead:
            command, self._waiting, self._started = self._waiting, None, now
            self._start(command)

    def moved(self) -> None:
        """Continue, in this process, what another began."""
        if self._running is not None:
            self._running = InheritedCommand(self._running)

    def close(self, command: Sequence[str] | None) -> None:
        """Tell the last word, and let it end within its limit."""
        self._end()
        if command is not None and not self._dead:
            self._start(command)
            self._end()

    def _end(self) -> None:
        if self._running is not None:
            try:
                self._running.wait(LIMIT)
            except subprocess.TimeoutExpired:
                self._running.kill()
                self._running.wait()
                self._dead = True
            self._running = None

    def _start(self, command: Sequence[str]) -> None:
        try:
            self._running = subprocess.Popen(
                list(command),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            )
        except (OSError, ValueError) as error:
            self._dead = True
            self._note(f"{self._host} is not told: {error}")
