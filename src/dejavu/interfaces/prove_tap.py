"""Runs a command on a separate terminal, and logs every byte both ways with its time.

Two of these are put around the wrapper in `dejavu-run --prove`: one next to the agent, one next to the
user's terminal. Knows nothing of the wrapper, so that what they find is evidence. Standard library
only. A record of the log is `(seconds: float64, way: uint8, length: uint32)`, big endian, then the bytes.

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
from pathlib import Path
from typing import BinaryIO

RECORD = struct.Struct(">dBI")
FROM_AGENT, TO_AGENT, EXIT = range(3)
_BLOCK = 65536


class Tap:
    """The terminal of one command, copied to our own stdin and stdout."""

    def __init__(self, log: BinaryIO, command: list[str]) -> None:
        self._log = log
        self._pid, self._fd = pty.fork()
        if self._pid == 0:
            try:
                os.execvp(command[0], command)  # noqa: S606 - no shell: the command, exactly
            except OSError as error:
                os.write(2, f"{command[0]}: {error.strerror}\n".encode())
                os._exit(127)

    def run(self) -> int:
        """Copy until the command ends; its exit status as `os.waitpid` gives it."""
        self._take_size()
        signal.signal(signal.SIGWINCH, lambda _number, _frame: self._take_size())
        before = None
        with contextlib.suppress(termios.error):
            before = termios.tcgetattr(0)
            tty.setraw(0)
        try:
            self._copy()
        finally:
            if before is not None:
                termios.tcsetattr(0, termios.TCSADRAIN, before)
        status = os.waitpid(self._pid, 0)[1]
        self._note(EXIT, str(os.waitstatus_to_exitcode(status)).encode())
        return status

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
                    _write(1, data)
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
    """Run the command of the line; its exit code, 128+n where signal n ended it."""
    log, *command = sys.argv[1:]
    with Path(log).open("wb") as file:
        code = os.waitstatus_to_exitcode(Tap(file, command).run())
    return code if code >= 0 else 128 - code


if __name__ == "__main__":
    sys.exit(main())
