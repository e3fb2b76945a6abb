"""An address that fits for a Unix socket whose path is too long for one.

A socket's address holds 104 bytes on macOS, 108 on Linux: home folders and test folders are longer.
Standard library only: the wrapper comes by here. A few system calls for a long path, none else.
"""

import os
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path

SUN_PATH = 104
"""Bytes an address may have with its closing zero, on the least generous system."""
_DESCRIPTORS = "/proc/self/fd"


@contextmanager
def socket_address(path: Path) -> Generator[str]:
    """An address to bind or to connect to while the block runs; `path` itself where it fits.

    A longer one goes by way of its opened folder (Linux), or of a link to the folder in one below
    `/tmp` that only we may enter (macOS). The socket itself lies at `path`.

    Raises:
        OSError: its folder is not there, or no link could be made.
    """
    if len(os.fsencode(path)) < SUN_PATH:
        yield str(path)
        return
    folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        if os.path.isdir(f"{_DESCRIPTORS}/{folder}"):  # noqa: PTH112 - as short as the rest
            yield f"{_DESCRIPTORS}/{folder}/{path.name}"
        else:
            with _link(path.parent) as link:
                yield f"{link}/{path.name}"
    finally:
        os.close(folder)


@contextmanager
def _link(folder: Path) -> Generator[str]:
    """A short name of `folder`, while the block runs."""
    from tempfile import mkdtemp  # seldom needed, and dear

    # TMPDIR is half of an address on macOS; /tmp is promised by POSIX, and mkdtemp makes it 0700.
    around = mkdtemp(prefix="dejavu-", dir="/tmp")
    try:
        Path(around, "s").symlink_to(folder.absolute())
        yield f"{around}/s"
    finally:
        with suppress(OSError):
            Path(around, "s").unlink(missing_ok=True)
            Path(around).rmdir()
