"""The ends of a session: the agent, and what of our own its bytes come from and go to.

Takes a mode, the agent's command line and environment; gives `Ends`: the running agent and our
descriptors, non-blocking where the system lets us open them anew. What is opened is closed by the
caller's `ExitStack`. Cost: one start of a program.
"""

from __future__ import annotations

import os

from .fd_writer import Outlet, reopen
from .tty import RawTty, Size, get_size

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from contextlib import ExitStack

    from .pipe import Pipe
    from .pty import Pty

TERMINAL = "terminal"  # the user's terminal is the agent's, through a PTY
HEADLESS = "headless"  # a PTY without a terminal of our own
DIRECT = "direct"  # no PTY: stdin and stderr inherited, stdout copied

OUTPUT_LIMIT = 65536  # bytes kept for a slow terminal before the agent has to wait


def mode_of(stdin: int = 0, stdout: int = 1) -> str:
    """`TERMINAL` where both ends are one, else `DIRECT`."""
    return TERMINAL if os.isatty(stdin) and os.isatty(stdout) else DIRECT


class Ends:
    """A running agent and our own descriptors.

    `stdin` is -1 and `tty` None where the agent does not get ours; `silent`: its output does not
    come to us; `size` is None without a PTY.
    """

    __slots__ = ("child", "out", "silent", "size", "stdin", "tty")

    def __init__(self, child: Pty | Pipe, out: Outlet, size: Size | None = None) -> None:
        self.child = child
        self.out = out
        self.size = size
        self.stdin = -1
        self.tty: RawTty | None = None
        self.silent = False


def open_ends(
    mode: str,
    argv: Sequence[str],
    env: Mapping[str, str],
    stack: ExitStack,
    *,
    size: Size,
    echo: int | None = None,
) -> Ends:
    """Start the agent and open our own ends. Raises `SpawnError` with nothing changed.

    `size` is the window's in headless mode, `echo` the descriptor that gets the output there.
    """
    if mode == DIRECT:
        return _direct(argv, env, stack)
    from .pty import Pty

    if mode == HEADLESS:
        child = Pty.spawn(argv, env, size)
        return Ends(child, Outlet(None, 0) if echo is None else outlet(echo, stack), size)
    out = outlet(1, stack)
    own = reopen(0, os.O_RDONLY)
    if own is not None:
        stack.callback(os.close, own)
    tty, size = RawTty(0), get_size(1)
    ends = Ends(Pty.spawn(argv, env, size, modes=tty.modes, terminal=out.fd), out, size)
    ends.stdin, ends.tty = 0 if own is None else own, tty
    return ends


def _direct(argv: Sequence[str], env: Mapping[str, str], stack: ExitStack) -> Ends:
    """The agent without a PTY: a terminal as its stdout stays its own."""
    from .pipe import Pipe

    copied = not os.isatty(1)
    child = Pipe.spawn(argv, env, copied=copied)
    ends = Ends(child, outlet(1, stack) if copied else Outlet(None, 0))
    ends.silent = not copied
    return ends


def outlet(fd: int, stack: ExitStack) -> Outlet:
    """An outlet for the descriptor `fd` of our own, without changing what others share."""
    own = reopen(fd, os.O_WRONLY)
    if own is None:
        return Outlet(fd, OUTPUT_LIMIT, blocking=True)
    stack.callback(os.close, own)
    return Outlet(own, OUTPUT_LIMIT)
