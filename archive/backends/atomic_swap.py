"""A folder in another's place: made next to it, made durable, exchanged in one step.

Either the whole result is there afterwards, or what was there before. A program that has the store
open notices (its file is another) and opens it again. Costs a few system calls, and `copy_file`
O(file).
"""

import os
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import lmdb

from dejavu.config import files
from dejavu.config.files import fsync
from dejavu.model import ArchiveError


def swap(first: Path, second: Path) -> None:
    """Let two folders change places, in one step that is seen whole or not at all.

    Raises:
        OSError: the system or its file system cannot (renameat2 with RENAME_EXCHANGE).
    """
    import ctypes  # every command passes this module, and few swap

    libc = ctypes.CDLL(None, use_errno=True)
    if sys.platform == "darwin":
        failed = libc.renamex_np(os.fsencode(first), os.fsencode(second), 2)  # RENAME_SWAP
    else:
        here = -100  # AT_FDCWD: the paths are as they stand
        failed = libc.renameat2(here, os.fsencode(first), here, os.fsencode(second), 2)
    if failed:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code), str(second))


def fsync_private(path: Path) -> None:
    """Make a file private and durable."""
    path.chmod(0o600)
    fd = os.open(path, os.O_RDONLY)
    try:
        fsync(fd)
    finally:
        os.close(fd)
    files.fsync_folder(path.parent)


def copy_file(source: Path, target: Path) -> None:
    """A durable copy of a file, for its owner alone."""
    fd = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    import shutil  # as above

    with source.open("rb") as reader, os.fdopen(fd, "wb") as writer:
        shutil.copyfileobj(reader, writer, 1 << 20)
        writer.flush()
        fsync(writer.fileno())


def _reason(error: Exception) -> str:
    """Without the name of the folder that was not asked for."""
    return (isinstance(error, OSError) and error.strerror) or str(error)


@contextmanager
def staging_folder(target: Path) -> Generator[Path]:
    """A private folder next to `target`, gone at the end unless it was moved.

    Raises:
        ArchiveError: the copy could not be written (a full disk).
    """
    import shutil  # as above

    fresh = target.with_name(f".{target.name}.{os.getpid()}.new")
    try:
        fresh.mkdir(mode=0o700)
        yield fresh
    except (lmdb.Error, OSError) as error:
        raise ArchiveError(
            f"{target} could not be written ({_reason(error)}); what was there before is untouched: free some "
            "space, or name another place"
        ) from error
    finally:
        shutil.rmtree(fresh, ignore_errors=True)
