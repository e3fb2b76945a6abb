"""The user's own terminal: its size, and raw while the agent has it.

`RawTty` is a context manager, so that every way out of the session but SIGKILL gives the terminal
back as it was; the signals that would end the wrapper are caught by the session and take that
way too. (After SIGKILL the agent's session leader does it: see pty.py.)
"""

from __future__ import annotations

import fcntl
import os
import struct
import termios
from contextlib import suppress

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import TracebackType

    Modes = list[int | list[bytes | int]]

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
