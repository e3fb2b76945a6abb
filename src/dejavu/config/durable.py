"""Make what was written outlast a power cut, on Linux and on macOS.

fsync(2) of macOS hands the bytes to the drive and does not wait until it has them; F_FULLFSYNC
does (fcntl(2) there). LMDB asks for it by itself. One system call.
"""

import contextlib
import fcntl
import os


def fsync(fd: int) -> None:
    """Return when the drive has what was written to `fd`.

    Raises:
        OSError: it could not be written.
    """
    full: int | None = getattr(fcntl, "F_FULLFSYNC", None)
    if full is not None:
        with contextlib.suppress(OSError):  # file systems of other kinds have no such thing
            fcntl.fcntl(fd, full)
            return
    os.fsync(fd)
