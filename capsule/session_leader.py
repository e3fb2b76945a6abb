"""The leader of the agent's session: a process that only waits, as a shell does for its job.

Why it exists. A new terminal needs a new session, and an agent alone in its session can not be
suspended: its process group counts as orphaned, and the kernel ignores SIGTSTP there (agents
suspend themselves with kill(0, SIGTSTP)). With a parent in the same session it stops, the leader
stops too, the wrapper sees that and suspends itself, and `fg` takes the same way back.

And it outlives a SIGKILL of the wrapper: the closed terminal sends it SIGHUP, it hands that on and
gives the user's terminal back, which no handler in the killed process could.

Runs in the child between fork and exec, so it uses nothing but system calls.
"""

from __future__ import annotations

import os
import signal
import termios
from contextlib import suppress

from .exec_program import exit_code, signal_of
from .signals import die_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .tty import Modes

# What a terminal, or a `pkill` by our name, may send: the agent gets its own copy.
_IGNORED = (
    signal.SIGINT, signal.SIGQUIT, signal.SIGTERM, signal.SIGTSTP, signal.SIGTTIN, signal.SIGTTOU,
    signal.SIGPIPE, signal.SIGWINCH, signal.SIGUSR1, signal.SIGUSR2, signal.SIGALRM,
)  # fmt: skip

# Cursor visible, mouse and focus reports off, no colours: what would make a shell unusable.
# Leaving the alternate screen is not here, as a terminal that is not in it would lose its cursor.
SOFT_RESET = b"\x1b[?25h\x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?1006l\x1b[?1004l\x1b[m"


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
