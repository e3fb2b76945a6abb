"""Files: ours replaced atomically, private, durable where needed; those of others read without a wait.

The one home of fsync, of replacing a file and of flock(2). fsync(2) on macOS hands the bytes to the
drive and does not wait until it has them; F_FULLFSYNC does (fcntl(2) there). LMDB asks for that
itself. JSON files of ours hold an object each, mode 0600. `naming` gives errors the name of the file
that a person knows: a write names none, and what is replaced atomically fails under a scratch name.

Locks between processes are flock(2) on a file, released by the kernel when its holder ends. Waiting
polls, because flock cannot wait for a limited time. Must import nothing heavy: a hook takes a lock
before it has time for more.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import stat
import time
from contextlib import contextmanager

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable
    from pathlib import Path
    from typing import Any

__all__ = [
    "create_file",
    "fsync",
    "fsync_folder",
    "held_lock",
    "naming",
    "open_lock",
    "partial_name",
    "read_json",
    "read_regular_file",
    "replace_file",
    "try_lock",
    "unlock",
    "wait_for_lock",
    "write_json",
]


def fsync(fd: int) -> None:
    """Return when the drive has what was written to `fd`.

    Raises:
        OSError: it could not be written.
    """
    full: int | None = getattr(fcntl, "F_FULLFSYNC", None)
    if full is not None:
        with contextlib.suppress(OSError):  # some file systems do not support it
            fcntl.fcntl(fd, full)
            return
    os.fsync(fd)


def fsync_folder(folder: Path) -> None:
    """Make the names in a folder durable: files created, renamed or removed there.

    Raises:
        OSError: it could not be written.
    """
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        fsync(descriptor)
    finally:
        os.close(descriptor)


def replace_file(
    path: Path, data: str | bytes | Iterable[bytes], *, mode: int = 0o600, durable: bool = False
) -> None:
    """Replace `path` by `data` (text as UTF-8), atomically; a reader sees the old or the new file.

    mode: the permissions of the new file. durable: it survives a power cut once this returns.

    Raises:
        OSError: it cannot be written; `filename` is always set, and no other file is left.
    """
    with _written(path, data, mode, durable) as temporary:
        temporary.replace(path)


def create_file(
    path: Path, data: str | bytes | Iterable[bytes], *, mode: int = 0o600, durable: bool = False
) -> None:
    """Make a new file of `data`, atomically; a reader sees no file or all of it.

    Raises:
        FileExistsError: there is a file of that name, whenever it came; it is left as it is.
        OSError: as `replace_file`.
    """
    with _written(path, data, mode, durable) as temporary:
        try:
            os.link(temporary, path, follow_symlinks=False)
        except FileExistsError:
            raise
        except OSError:  # no hard links on this file system: the check is as close as it can be
            if os.path.lexists(path):
                raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST)) from None
            temporary.replace(path)
        else:
            temporary.unlink()


def partial_name(path: Path, pid: int) -> Path:
    """Where process `pid` writes a file before it gets its name `path`; left there by a kill."""
    return path.with_name(f".{path.name}.{pid}")


@contextlib.contextmanager
def _written(
    path: Path, data: str | bytes | Iterable[bytes], mode: int, durable: bool
) -> Generator[Path]:
    """A file of `data` next to `path`, for the block to give it that name."""
    pieces = (
        (data.encode(),) if isinstance(data, str) else (data,) if isinstance(data, bytes) else data
    )
    temporary = partial_name(path, os.getpid())
    try:
        flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC
        descriptor = os.open(temporary, flags, 0o600)
        with os.fdopen(descriptor, "wb") as file:
            file.writelines(pieces)
            file.flush()
            os.fchmod(descriptor, mode)
            if durable:
                fsync(descriptor)
        yield temporary
        if durable:
            fsync_folder(path.parent)
    except OSError as error:  # a write names no file
        temporary.unlink(missing_ok=True)
        raise OSError(error.errno, error.strerror, str(path)) from error
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def read_regular_file(path: Path) -> bytes:
    """The bytes of a regular file, behind links; a pipe or a device is refused, never waited for.

    Raises:
        OSError: it is missing, may not be read, or is not a regular file.
    """
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise OSError(errno.EINVAL, "it is not a regular file", str(path))
    with os.fdopen(descriptor, "rb") as file:
        return file.read()


@contextmanager
def naming(path: Path) -> Generator[None]:
    """Give every `OSError` of the block `path` as its `filename`.

    Raises:
        OSError: of the same kind and number as in the block.
    """
    try:
        yield
    except OSError as error:
        if error.errno is None:
            raise
        raise OSError(error.errno, error.strerror, str(path)) from error


def write_json(path: Path, value: dict[str, Any]) -> None:
    """Replace `path` by `value` as JSON, atomically, readable by its owner alone.

    A byte that is not UTF-8 (a lone surrogate, in an argument or a path) is written as its JSON escape,
    so it is read back unchanged.
    """
    import json  # not for a lock's sake

    text = json.dumps(value, ensure_ascii=False)
    replace_file(path, text.encode("utf-8", "backslashreplace").decode("utf-8"))


def read_json(path: Path) -> dict[str, Any]:
    """Return the object in `path`; empty if it is missing or not (yet) one."""
    import json  # not for a lock's sake

    try:
        value: object = json.loads(read_regular_file(path))
    except (OSError, ValueError):
        return {}
    return value if isinstance(value, dict) else {}  # pyright: ignore[reportUnknownVariableType] - JSON


_FIRST_PAUSE = 0.0002  # seconds


def open_lock(path: str | os.PathLike[str]) -> int:
    """The descriptor of a lock's file, created with mode 0600; links are refused.

    Raises:
        OSError: it cannot be created.
    """
    return os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)


def try_lock(descriptor: int, *, shared: bool = False) -> bool:
    """Lock an open file unless another process or descriptor holds it; True if it is ours now.

    Raises:
        OSError: the file system has no locks.
    """
    kind = fcntl.LOCK_SH if shared else fcntl.LOCK_EX
    try:
        fcntl.flock(descriptor, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def unlock(descriptor: int) -> None:
    """Release the lock and keep the file open."""
    fcntl.flock(descriptor, fcntl.LOCK_UN)


def wait_for_lock(
    descriptor: int,
    deadline: float,
    *,
    longest: float = 0.005,
    clock: Callable[[], float] = time.monotonic,
    sleep: Callable[[float], None] = time.sleep,
) -> bool:
    """As `try_lock`, again and again until `deadline` (of `clock`); pauses are `longest` s at most."""
    pause = min(_FIRST_PAUSE, longest)
    while not try_lock(descriptor):
        if clock() >= deadline:
            return False
        sleep(pause)
        pause = min(2 * pause, longest)
    return True


@contextmanager
def held_lock(path: str | os.PathLike[str], patience: float = 0.0) -> Generator[bool]:
    """Hold a lock for the length of the block; yields False where others held it all the time.

    patience: seconds to wait for it.
    """
    descriptor = open_lock(path)
    try:
        yield wait_for_lock(descriptor, time.monotonic() + patience)
    finally:
        os.close(descriptor)
