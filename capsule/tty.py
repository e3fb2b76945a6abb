"""The user's own terminal, raw while the agent has it, and the agent's window, which has its size.

`RawTty` is a context manager, so that every way out of the session but SIGKILL gives the terminal
back as it was; the signals that would end the wrapper are caught by the session and take that
way too. (After SIGKILL the agent's session leader does it: see pty.py.) `AgentWindow` hands on what
changes at the user's terminal; it reads nothing and writes nothing else.
"""

from __future__ import annotations

import fcntl
import os
import struct
import termios
from contextlib import suppress

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType

    from .pipe import Pipe
    from .pty import Pty

    Modes = list[int | list[bytes | int]]

# Cursor visible, reports of mouse, focus and paste off, no colours: what would make a shell unusable.
# Leaving the alternate screen is not here, as a terminal that is not in it would lose its cursor.
SOFT_RESET = b"\x1b[?25h\x1b[?1000;1002;1003;1004;1005;1006;1015;1016;2004l\x1b[m"
# The same for a program on the alternate screen, which may have asked for other keys, too.
FULL_RESET = b"\x1b[<u\x1b[>4m\x1b>\x1b[?1049l" + SOFT_RESET
FOREGROUND_PERIOD = 100.0  # ms: how often a job in the background looks whether it still is
_WINSIZE = struct.Struct("HHHH")  # struct winsize: lines, columns, x pixels, y pixels


class Size:
    """A window's size in cells, and in pixels where the terminal tells (image protocols ask)."""

    __slots__ = ("columns", "height", "lines", "width")

    def __init__(self, columns: int, lines: int, width: int = 0, height: int = 0) -> None:
        self.columns = columns
        self.lines = lines
        self.width = width
        self.height = height

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Size) and self.packed() == other.packed()

    def __hash__(self) -> int:
        return hash(self.packed())

    def __repr__(self) -> str:
        return f"Size({self.columns}x{self.lines})"

    def packed(self) -> bytes:
        """As the kernel's `struct winsize`."""
        return _WINSIZE.pack(self.lines, self.columns, self.width, self.height)


def get_size(fd: int) -> Size:
    """The window size of the terminal behind `fd`; OSError where it is none."""
    answer = fcntl.ioctl(fd, termios.TIOCGWINSZ, bytes(_WINSIZE.size))
    lines, columns, width, height = _WINSIZE.unpack(answer)
    return Size(columns, lines, width, height)


def set_size(fd: int, size: Size) -> None:
    """Set it; the kernel signals SIGWINCH to the programs there when it changed."""
    fcntl.ioctl(fd, termios.TIOCSWINSZ, size.packed())


def raw(modes: Modes) -> Modes:
    """Terminal modes with nothing translated, echoed or turned into signals (cfmakeraw(3))."""
    iflag, oflag, cflag, lflag, ispeed, ospeed, cc = modes
    assert isinstance(iflag, int) and isinstance(oflag, int)  # noqa: S101, PT018 - for the type
    assert isinstance(cflag, int) and isinstance(lflag, int)  # noqa: S101, PT018 - checkers: the
    assert isinstance(cc, list)  # noqa: S101 - stubs give one type to all seven fields
    iflag &= ~(
        termios.IGNBRK | termios.BRKINT | termios.PARMRK | termios.INPCK | termios.ISTRIP
        | termios.INLCR | termios.IGNCR | termios.ICRNL | termios.IXON
    )  # fmt: skip
    oflag &= ~termios.OPOST
    lflag &= ~(termios.ECHO | termios.ECHONL | termios.ICANON | termios.ISIG | termios.IEXTEN)
    cflag = (cflag & ~(termios.CSIZE | termios.PARENB)) | termios.CS8
    keys = list(cc)
    keys[termios.VMIN] = 1
    keys[termios.VTIME] = 0
    return [iflag, oflag, cflag, lflag, ispeed, ospeed, keys]


class RawTty:
    """The terminal behind `fd`, raw inside a `with`, and as it was after it.

    `modes` are those found (the agent's terminal starts with them).
    """

    def __init__(self, fd: int) -> None:
        self.fd = fd
        self.modes: Modes = termios.tcgetattr(fd)
        self.is_raw = False
        self.translates = bool(termios.tcgetattr(fd)[1] & termios.OPOST)

    def __enter__(self) -> RawTty:
        self.enter_raw()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.restore()

    def enter_raw(self) -> None:
        """Make it raw (again, after a suspension), unless we are in the background.

        From there the kernel would stop us with SIGTTOU, though the agent may not need a terminal.
        """
        self.is_raw = self.foreground()
        if self.is_raw:
            self._set(raw(self.modes))

    def restore(self) -> None:
        """Give it back as it was; from the background it is someone else's: hands off."""
        if self.is_raw and self.foreground():
            self._set(self.modes)
        self.is_raw = False

    def foreground(self) -> bool:
        """Whether it is ours to change: we are in its foreground, or it does not control us."""
        try:
            return os.tcgetpgrp(self.fd) == os.getpgrp()
        except OSError:
            return True

    def is_ours(self) -> bool:
        """Whether it controls us and we are in its foreground, so that its keys signal our job."""
        try:
            return os.tcgetpgrp(self.fd) == os.getpgrp()
        except OSError:
            return False

    def _set(self, modes: Modes) -> None:
        with suppress(termios.error):  # hung up: there is nothing left to set
            termios.tcsetattr(self.fd, termios.TCSANOW, modes)


class AgentWindow:
    """The window that the agent has: its size, and the user's terminal where that is the agent's.

    `tty` is None where the agent does not get one of ours. `on_resized` hears of each new size.
    """

    def __init__(self, size: Size, on_resized: Callable[[Size], None]) -> None:
        self.size = size
        self.tty: RawTty | None = None
        self._on_resized = on_resized
        self._child: Pty | Pipe
        self._translates = True  # whether the agent's terminal does, if the user's did

    def attach(self, child: Pty | Pipe, tty: RawTty | None, size: Size | None) -> None:
        """Take the agent that has started, and the size it was given."""
        self._child, self.tty, self.size = child, tty, size or self.size

    @property
    def is_typed_from(self) -> bool:
        """Whether what comes from stdin is for the agent."""
        return self.tty is None or self.tty.is_raw

    def timeout(self, other: float | None) -> float | None:
        """Milliseconds to the next `regain`, at the most."""
        if self.tty is None or self.tty.is_raw:
            return other
        return min(other or FOREGROUND_PERIOD, FOREGROUND_PERIOD)

    def enter_raw(self) -> None:
        """Make the user's terminal raw, if we have it. In the background it translates line ends."""
        if self.tty:
            self.tty.enter_raw()
            if self._translates != self.tty.is_raw:
                self._translates = self.tty.is_raw
                self._child.translate_output(wanted=self._translates and self.tty.translates)

    def resume(self) -> None:
        """Take the user's terminal again, with the size it has by now."""
        self.enter_raw()
        self.follow()

    def regain(self) -> None:
        """Take it again where it is ours since `fg`: shells do not tell a job that runs already."""
        if self.tty and not self.tty.is_raw and self.tty.foreground():
            self.resume()

    def follow(self) -> None:
        """Hand on the terminal's size if it has changed."""
        if self.tty:
            with suppress(OSError):
                self.resize(get_size(1))

    def resize(self, size: Size) -> None:
        """Give the agent's window a size, if it has another."""
        if size != self.size:
            self.size = size
            self._child.resize(size)
            self._on_resized(size)
