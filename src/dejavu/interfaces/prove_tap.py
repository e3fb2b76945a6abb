"""Runs a command on a separate terminal, and logs every byte both ways with its time.

Two of these are put around the wrapper in `dejavu-run --prove`: one next to the agent, one next to the
user's terminal. Shares nothing with the wrapper but how to die of a signal, so that what they find is
evidence. A stopped command is woken at once: Ctrl-Z does not suspend it, since no shell would go on
with it. A record of the log is `(seconds: float64, way: uint8, length: uint32)`, big endian, then the
bytes.

    python -m dejavu.interfaces.prove_tap LOG COMMAND [ARGS ...]

Tested in: tests/interfaces/test_prove.py
"""

import contextlib
import fcntl
import os
import pty
import select
import signal
import struct
import sys
import termios
import time
import tty
from typing import BinaryIO

from dejavu.capsule.signals import die_of

RECORD = struct.Struct(">dBI")
FROM_AGENT, TO_AGENT, EXIT = range(3)
_BLOCK = 65536
_PASSED_ON = (signal.SIGINT, signal.SIGQUIT, signal.SIGTERM, signal.SIGHUP)


class Tap:
    """The terminal of one command, copied to our own stdin and stdout."""

    def __init__(self, log: BinaryIO, command: list[str]) -> None:
        self._log = log
        self._status: int | None = None
        self.pid, self._fd = pty.fork()
        if self.pid == 0:
            for number in (signal.SIGPIPE, signal.SIGXFSZ):  # ignored by Python, and so across exec
                signal.signal(number, signal.SIG_DFL)
            try:
                os.execvp(command[0], command)  # noqa: S606 - no shell: the command, exactly
            except OSError as error:
                os.write(2, f"{command[0]}: {error.strerror}\n".encode())
                os._exit(127)

    def run(self) -> int:
        """Copy until the command ends; its exit status as `os.waitpid` gives it."""
        self._take_size()
        self._handle_signals()
        before = None
        with contextlib.suppress(termios.error):
            before = termios.tcgetattr(0)
            tty.setraw(0)
        try:
            self._copy()
        finally:
            if before is not None:
                with contextlib.suppress(termios.error):  # the terminal may be gone
                    termios.tcsetattr(0, termios.TCSADRAIN, before)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        status = os.waitpid(self.pid, 0)[1] if self._status is None else self._status
        self._note(EXIT, str(os.waitstatus_to_exitcode(status)).encode())
        return status

    def _handle_signals(self) -> None:
        signal.signal(signal.SIGWINCH, lambda _number, _frame: self._take_size())
        signal.signal(signal.SIGCHLD, lambda _number, _frame: self._wait())
        for number in _PASSED_ON:
            signal.signal(number, lambda number, _frame: self._pass_on(number))
        self._wait()  # it may have stopped before it was watched

    def _pass_on(self, number: int) -> None:
        if self._status is None:  # until then the number is the command's
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.pid, number)

    def _wait(self) -> None:
        """Take the status of a command that ended; wake one that stopped, which no shell would do."""
        with contextlib.suppress(ChildProcessError, OSError):
            pid, status = os.waitpid(self.pid, os.WNOHANG | os.WUNTRACED)
            if pid and os.WIFSTOPPED(status):
                os.killpg(os.tcgetpgrp(self._fd), signal.SIGCONT)
                os.kill(self.pid, signal.SIGCONT)
            elif pid:
                self._status = status

    def _copy(self) -> None:
        poll = select.poll()
        poll.register(0, select.POLLIN)
        poll.register(self._fd, select.POLLIN)
        while True:
            for ready, _ in poll.poll():
                try:
                    data = os.read(ready, _BLOCK)
                except OSError:
                    data = b""
                if not data and ready == self._fd:
                    return
                if not data:
                    poll.unregister(0)
                elif ready == self._fd:
                    self._note(FROM_AGENT, data)
                    try:
                        _write(1, data)
                    except OSError:  # the terminal is gone: so is the agent, soon
                        return
                else:
                    self._note(TO_AGENT, data)
                    _write(self._fd, data)

    def _note(self, way: int, data: bytes) -> None:
        self._log.write(RECORD.pack(time.monotonic(), way, len(data)) + data)

    def _take_size(self) -> None:
        with contextlib.suppress(OSError):
            size = fcntl.ioctl(0, termios.TIOCGWINSZ, bytes(8))
            if any(size):
                fcntl.ioctl(self._fd, termios.TIOCSWINSZ, size)


def _write(fd: int, data: bytes) -> None:
    while data:
        data = data[os.write(fd, data) :]


def main() -> int:
    """Run the command of the line; its exit code. Die of the signal that ended it, if one did."""
    log, *command = sys.argv[1:]
    with os.fdopen(os.open(log, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
        code = os.waitstatus_to_exitcode(Tap(file, command).run())
    if code >= 0:
        return code
    die_of(-code)
    return 128 - code


if __name__ == "__main__":
    sys.exit(main())
