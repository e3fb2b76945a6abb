"""`Pipe`: an agent without its own terminal, its stdout copied on the way.

stdin and stderr are inherited untouched, so is the process group (the terminal's ^C reaches the
agent alone). stdout becomes a pipe, unless it is a terminal: then it is left alone too, as an
agent that asks isatty(3) must get the answer it would get without us.
"""

from __future__ import annotations

import errno
import os
import signal

from .fd_writer import CHUNK, NonBlockingWriter
from .process import code_of, execute, exit_code, find_program, signal_of, spawn_error

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import NoReturn

    from .tty import Size


class Pipe:
    """An agent started straight. `fd` is where its stdout comes, or -1 when it is not copied."""

    def __init__(self, pid: int, fd: int) -> None:
        self.pid = pid
        self.fd = fd
        self.input = NonBlockingWriter(None, 0)
        self.stopped = False
        self.died_of = 0  # the signal that ended it
        self._status: int | None = None

    @classmethod
    def spawn(cls, argv: Sequence[str], env: Mapping[str, str], *, copied: bool) -> Pipe:
        """Start `argv`; its stdout comes to us when `copied`. Raises `SpawnError`."""
        ours, its = os.pipe() if copied else (-1, -1)
        try:
            pid = start(argv, env, {1: its} if copied else {})
        except Exception:
            if copied:
                os.close(ours)
            raise
        finally:
            if copied:
                os.close(its)
        if copied:
            os.set_blocking(ours, False)
        return cls(pid, ours)

    def read(self) -> bytes | None:
        """What the agent wrote: b"" at the end, None when there is nothing now."""
        if self.fd < 0:
            return b""
        try:
            return os.read(self.fd, CHUNK)
        except BlockingIOError:
            return None

    def write(self, data: bytes) -> None:
        """Nothing: its stdin is not ours."""

    def translate_output(self, *, wanted: bool) -> None:
        """Nothing: there is no terminal."""

    def keyboard_signals(self, data: bytes) -> list[int]:  # noqa: ARG002 - as the one of `Pty`
        """None: keys are not ours to read."""
        return []

    def resize(self, size: Size) -> None:
        """Nothing: there is no window."""

    def wait(self) -> int | None:
        """The exit code (128+n on signal n), or None while it runs."""
        if self._status is None:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                self._status, self.died_of = exit_code(status), signal_of(status)
        return self._status

    def signal(self, number: int) -> None:
        """Send a signal to the agent."""
        if self.wait() is None:
            os.kill(self.pid, number)

    def resume(self) -> None:
        """Nothing: the program that stopped it continues it."""

    def hang_up(self) -> None:
        """No one reads any more: the agent learns it at its next write (SIGPIPE), as in a shell."""
        self.close()

    def hides_input(self) -> bool:
        """Whether what it reads may be told: what is not typed at a terminal is not."""
        return True

    def close(self) -> None:
        """Close our end of its stdout."""
        if self.fd >= 0:
            os.close(self.fd)
            self.fd = -1


def start(argv: Sequence[str], env: Mapping[str, str], copies: Mapping[int, int]) -> int:
    """Start `argv`, in which each of `copies` is the descriptor it names; its pid. Raises `SpawnError`."""
    path = find_program(argv[0], env)
    try:
        return _spawn(path, argv, env, copies)
    except OSError as error:
        raise spawn_error(argv[0], error.strerror, code_of(error)) from error


def _spawn(
    path: str, argv: Sequence[str], env: Mapping[str, str], copies: Mapping[int, int]
) -> int:
    # Not posix_spawn(3): that of glibc leaves the signals 32 and 33 ignored in the program.
    reader, writer = os.pipe()
    # Nothing may interrupt between fork and exec: a Python handler must not run in the child.
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
    try:
        pid = os.fork()
        if pid == 0:
            _become(path, argv, env, copies, mask, writer)
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        os.close(writer)
    with os.fdopen(reader, "rb") as file:
        failed = file.read()
    if failed:
        os.waitpid(pid, 0)
        raise OSError(int(failed), os.strerror(int(failed)))
    return pid


def _become(
    path: str, argv: Sequence[str], env: Mapping[str, str], copies: Mapping[int, int],
    mask: set[int | signal.Signals], writer: int,
) -> NoReturn:  # fmt: skip
    """Become the program, or tell `writer` the number of the error."""
    try:
        for number, fd in copies.items():
            os.dup2(fd, number)
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        execute(path, argv, env)
    except OSError as error:
        os.write(writer, b"%d" % (error.errno or errno.EIO))
    finally:
        os._exit(127)
