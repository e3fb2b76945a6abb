"""`Pty`: an agent in its own terminal. Five verbs: spawn, read, write, resize, wait.

ptyprocess forks into a new terminal, closes what must not leak and reports a failed exec to the
parent. Not used of it: its write (blocks for ever when no one drains: 1 MB is enough), its wait
(None for a signal) and its close (sleeps).

Between the two is the leader of the agent's session, a process that only waits, as a shell does for
its job. A new terminal needs a new session, and an agent alone in its session can not be suspended:
its process group counts as orphaned, and the kernel ignores SIGTSTP there (agents suspend
themselves with kill(0, SIGTSTP)). With a parent in the same session it stops, the leader stops too,
the wrapper sees that and suspends itself, and `fg` takes the same way back. The leader outlives a
SIGKILL of the wrapper: the closed terminal sends it SIGHUP, it hands that on and gives the user's
terminal back, which no handler in the killed process could. It uses nothing but system calls.
"""

from __future__ import annotations

import os
import signal
import termios
from contextlib import suppress

from ptyprocess.ptyprocess import PtyProcess

from .fd_writer import CHUNK, NonBlockingWriter
from .process import (
    code_of,
    execute,
    exit_code,
    find_program,
    inheritable_fds,
    signal_of,
    spawn_error,
)
from .signals import die_of
from .tty import SOFT_RESET, Size, set_size

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from .tty import Modes

INPUT_LIMIT = 65536  # bytes kept for an agent that does not read; the kernel holds 18 KiB more


class Pty:
    """An agent in its own terminal. `pid` is the agent's, `fd` our side, non-blocking.

    `leader` leads its session.
    """

    def __init__(self, process: Any, pid: int) -> None:
        self._process = process
        self.fd: int = process.fd
        os.set_blocking(self.fd, False)
        self.leader: int = process.pid
        self.pid = pid
        self.input = NonBlockingWriter(self.fd, INPUT_LIMIT)
        self.stopped = False
        self.died_of = 0  # the signal that ended it
        self._status: int | None = None

    @classmethod
    def spawn(
        cls,
        argv: Sequence[str],
        env: Mapping[str, str],
        size: Size,
        *,
        modes: Modes | None = None,
        terminal: int | None = None,
        cwd: str | os.PathLike[str] | None = None,
    ) -> Pty:
        """Start `argv` in a new terminal of `size`, set before the program can ask for it.

        `modes` are the terminal modes it starts with (the user's own; the kernel's defaults
        without), `terminal` the user's terminal, given back should this process be killed, `cwd`
        the folder it starts in, if not this one. Raises `SpawnError`.
        """
        path = find_program(argv[0], env)
        if cwd is not None:
            path = os.path.abspath(path)  # noqa: PTH100 - pathlib is not worth its import here
        untyped: Any = PtyProcess  # ships no types
        # The agent is not the process that ptyprocess forks, but its child: it says its own number
        # here. The terminal's foreground group would not do: an agent that is over has left it.
        pid_end, agents_end = os.pipe()
        # Nothing may interrupt between fork and exec: a Python handler must not run in the child.
        mask = signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())

        def start() -> None:
            if cwd is not None:  # not by ptyprocess, whose child would go on as a copy of this one
                os.chdir(cwd)
            set_size(0, size)
            if modes is not None:
                termios.tcsetattr(0, termios.TCSANOW, modes)
            run_session_leader(terminal, modes)
            os.write(agents_end, b"%d" % os.getpid())
            signal.pthread_sigmask(signal.SIG_SETMASK, mask)
            # Here and not in ptyprocess, which would change argv[0].
            execute(path, argv, env)

        pass_fds = [*inheritable_fds(), agents_end, *([] if terminal is None else [terminal])]
        try:
            dimensions = (size.lines, size.columns)
            process = untyped.spawn(
                [path], preexec_fn=start, dimensions=dimensions, pass_fds=pass_fds
            )
            pid = int(os.read(pid_end, 20))
            if size.width or size.height:  # ptyprocess sets the cells once more, without pixels
                set_size(process.fd, size)
        except Exception as error:
            # ptyprocess re-raises what the child sent by the name of its class: any class.
            raise spawn_error(argv[0], error, code_of(error)) from error
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, mask)
            os.close(pid_end)
            os.close(agents_end)
        return cls(process, pid)

    def _foreground(self) -> int:
        try:
            return os.tcgetpgrp(self.fd)
        except OSError:
            return 0

    def read(self) -> bytes | None:
        """What the agent wrote: b"" at the end, None when there is nothing now."""
        try:
            return os.read(self.fd, CHUNK)
        except BlockingIOError:
            return None
        except OSError:  # EIO: no process has the terminal open any more
            return b""

    def write(self, data: bytes) -> None:
        """Type `data`: what the agent does not take now waits in `input`."""
        self.input.write(data)

    def resize(self, size: Size) -> None:
        """A new window size; the kernel tells the agent (SIGWINCH)."""
        with suppress(OSError):  # already gone
            set_size(self.fd, size)

    def wait(self) -> int | None:
        """The exit code (128+n on signal n), or None while it runs; `stopped` says if it is stopped."""
        if self._status is None:
            pid, status = os.waitpid(self.leader, os.WNOHANG | os.WUNTRACED)
            if pid:
                self.stopped = os.WIFSTOPPED(status)
                if not self.stopped:
                    self._status, self.died_of = exit_code(status), signal_of(status)
                    self._process.terminated = True
        return self._status

    def signal(self, number: int) -> None:
        """Send a signal to the agent alone, as `kill PID` would."""
        if self.wait() is None:
            with suppress(ProcessLookupError):  # it ended just now
                os.kill(self.pid, number)

    def resume(self) -> None:
        """Continue the agent after it `stopped`."""
        self.stopped = False
        if self.wait() is None:
            os.kill(self.leader, signal.SIGCONT)

    def hang_up(self) -> None:
        """What a closed terminal does to those in it: SIGHUP, awake, to the whole job."""
        group = self._foreground()
        for number in (signal.SIGHUP, signal.SIGCONT):
            with suppress(OSError):  # gone
                os.killpg(group or self.pid, number)

    def translate_output(self, *, wanted: bool) -> None:
        """Whether line ends are translated here: not where the user's terminal does it too."""
        with suppress(termios.error):
            modes = termios.tcgetattr(self.fd)
            modes[1] = modes[1] | termios.OPOST if wanted else modes[1] & ~termios.OPOST
            termios.tcsetattr(self.fd, termios.TCSANOW, modes)

    def hides_input(self) -> bool:
        """Whether the agent's terminal reads a line without echo, as for a password."""
        with suppress(termios.error):
            flags = termios.tcgetattr(self.fd)[3]
            return bool(flags & termios.ICANON and not flags & termios.ECHO)
        return True

    def keyboard_signals(self, data: bytes) -> list[int]:
        """The signals that the agent's terminal makes of keys in `data`: of ^C, and of the quit key."""
        numbers: list[int] = []
        with suppress(termios.error):
            _, _, _, flags, _, _, keys = termios.tcgetattr(self.fd)
            if flags & termios.ISIG:
                pairs = ((termios.VINTR, signal.SIGINT), (termios.VQUIT, signal.SIGQUIT))
                numbers = [
                    number for key, number in pairs if keys[key] in data and keys[key] != b"\0"
                ]
        return numbers

    def close(self) -> None:
        """Close our side. An agent still there loses its terminal (SIGHUP)."""
        self.input.close()
        if not self._process.closed:
            self._process.closed = True  # or its __del__ would sleep, then signal
            self._process.fileobj.close()


# What a terminal, or a `pkill` by our name, may send: the agent gets its own copy.
_IGNORED = (
    signal.SIGINT, signal.SIGQUIT, signal.SIGTERM, signal.SIGTSTP, signal.SIGTTIN, signal.SIGTTOU,
    signal.SIGPIPE, signal.SIGWINCH, signal.SIGUSR1, signal.SIGUSR2, signal.SIGALRM,
)  # fmt: skip


def run_session_leader(terminal: int | None, modes: Modes | None) -> None:
    """Fork; return in the new process, which is to become the agent.

    The caller leads the session of the agent's terminal (its fd 0) and has all signals blocked.
    `terminal` and `modes` are the user's own terminal and how it was found, if there is one.
    """
    agent = os.fork()
    if agent == 0:
        os.setpgid(0, 0)
        os.tcsetpgrp(0, os.getpid())
        return
    code = 1
    try:
        # Above all the pipe that tells the wrapper of a failed exec: it waits for its end.
        keep = 2 if terminal is None else terminal
        os.closerange(1, keep)
        os.closerange(keep + 1, os.sysconf("SC_OPEN_MAX"))
        code = _watch(agent, terminal, modes)
    finally:
        os._exit(code)


def _watch(agent: int, terminal: int | None, modes: Modes | None) -> int:
    """Wait for the agent's end, stopping when it stops; its exit code. Dies as the agent died."""

    def hang_up(_number: int, _frame: object) -> None:
        if _alive(0):
            return  # someone's `kill -HUP`, and not the end of the wrapper
        _signal_group(agent, signal.SIGHUP)
        _signal_group(agent, signal.SIGCONT)
        if terminal is not None and modes is not None:
            restore_terminal(terminal, modes)

    for number in _IGNORED:
        signal.signal(number, signal.SIG_IGN)
    signal.signal(signal.SIGHUP, hang_up)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_SETMASK, ())
    while True:
        _, status = os.waitpid(agent, os.WUNTRACED)
        if not os.WIFSTOPPED(status):
            break
        os.kill(os.getpid(), signal.SIGSTOP)
        _signal_group(agent, signal.SIGCONT)
    # The kernel sends SIGHUP to the foreground group when a session leader ends; what the agent
    # left running on purpose would not get one from a shell either.
    with suppress(OSError):  # hung up
        os.tcsetpgrp(0, os.getpid())
    if died_of := signal_of(status):
        die_of(died_of)  # the wrapper sees the same
    return exit_code(status)


def _alive(terminal: int) -> bool:
    """Whether the other side of the agent's terminal is still open."""
    try:
        termios.tcgetattr(terminal)
    except termios.error:  # EIO
        return False
    return True


def _signal_group(group: int, number: int) -> None:
    with suppress(OSError):  # gone
        os.killpg(group, number)


def restore_terminal(terminal: int, modes: Modes) -> None:
    """Undo raw mode, unless someone else (the user's shell) has taken the terminal over."""
    with suppress(OSError, termios.error):  # gone too
        now = termios.tcgetattr(terminal)
        if not (now[1] & termios.OPOST or now[3] & termios.ISIG):
            termios.tcsetattr(terminal, termios.TCSANOW, modes)
            os.write(terminal, SOFT_RESET)
