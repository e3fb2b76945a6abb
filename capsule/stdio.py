"""Standard input and output of a session: the running agent, and our own descriptors next to it.

`open_io` starts the agent for a mode and opens our descriptors, non-blocking where the system lets
us open them again. What is opened is closed by the caller's `ExitStack`.
Cost: one start of a program.
"""

from __future__ import annotations

import os

from .fd_writer import NonBlockingWriter, reopen
from .tty import RawTty, Size, get_size

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from contextlib import ExitStack

    from .pipe import Pipe
    from .pty import Pty

TERMINAL = "terminal"  # the user's terminal is the agent's, through a PTY
HEADLESS = "headless"  # a PTY without a terminal of our own
PIPE = "direct"  # no PTY: stdin and stderr inherited, stdout copied

OUTPUT_LIMIT = 65536  # bytes kept for a slow terminal before the agent has to wait


def mode_of(stdin: int = 0, stdout: int = 1) -> str:
    """`TERMINAL` where both descriptors are one, else `PIPE`."""
    return TERMINAL if os.isatty(stdin) and os.isatty(stdout) else PIPE


class SessionIO:
    """A running agent and our own descriptors.

    `stdin` is -1 and `tty` None where the agent does not get ours; `silent`: its output does not
    come to us; `size` is None without a PTY.
    """

    __slots__ = ("child", "out", "output_inherited", "size", "stdin", "tty")

    def __init__(self, child: Pty | Pipe, out: NonBlockingWriter, size: Size | None = None) -> None:
        self.child = child
        self.out = out
        self.size = size
        self.stdin = -1
        self.tty: RawTty | None = None
        self.output_inherited = False


def open_io(
    mode: str,
    argv: Sequence[str],
    env: Mapping[str, str],
    stack: ExitStack,
    *,
    size: Size,
    echo: int | None = None,
) -> SessionIO:
    """Start the agent and open our own ends. Raises `SpawnError` with nothing changed.

    `size` is the window's in headless mode, `echo` the descriptor that gets the output there.
    """
    if mode == PIPE:
        return _direct(argv, env, stack)
    from .pty import Pty

    if mode == HEADLESS:
        child = Pty.spawn(argv, env, size)
        return SessionIO(
            child, NonBlockingWriter(None, 0) if echo is None else writer_for(echo, stack), size
        )
    out = writer_for(1, stack)
    own = reopen(0, os.O_RDONLY)
    if own is not None:
        stack.callback(os.close, own)
    tty, size = RawTty(0), get_size(1)
    io = SessionIO(Pty.spawn(argv, env, size, modes=tty.modes, terminal=out.fd), out, size)
    io.stdin, io.tty = 0 if own is None else own, tty
    return io


def _direct(argv: Sequence[str], env: Mapping[str, str], stack: ExitStack) -> SessionIO:
    """The agent without a PTY: a terminal as its stdout stays its own, and so does a closed one.

    Where stdout was closed there is a descriptor of ours now, which programs do not inherit.
    """
    from .pipe import Pipe

    copied = not os.isatty(1) and os.get_inheritable(1)
    child = Pipe.spawn(argv, env, copied=copied)
    io = SessionIO(child, writer_for(1, stack) if copied else NonBlockingWriter(None, 0))
    io.output_inherited = not copied
    return io


def writer_for(fd: int, stack: ExitStack) -> NonBlockingWriter:
    """Return a writer for the descriptor `fd` of our own, without changing what others share."""
    own = reopen(fd, os.O_WRONLY)
    if own is None:
        return NonBlockingWriter(fd, OUTPUT_LIMIT, blocking=True)
    stack.callback(os.close, own)
    return NonBlockingWriter(own, OUTPUT_LIMIT)
