"""Unix sockets that only their owner may use: listen, connect, and addresses that fit.

A socket's address holds 104 bytes on macOS, 108 on Linux: home folders and test folders are longer.
Standard library only, because the wrapper imports it. Must know nothing of what is said over a socket.
"""

import os
import socket
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from .peer_identity import is_same_user

SUN_PATH = 104
"""Bytes an address may have with its closing zero, on the least generous system."""
_DESCRIPTORS = "/proc/self/fd"


@contextmanager
def socket_address(path: Path) -> Generator[str]:
    """An address to bind or to connect to while the block runs; `path` itself where it fits.

    A longer one goes by way of its opened folder (Linux), or of a link to the folder in one below
    `/tmp` that only we may enter (macOS). The socket itself is at `path`.

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


class Listener(socket.socket):
    """A listening socket that refuses other users, whatever the mode of its file, and over TCP as well."""

    def accept(self) -> tuple[socket.socket, Any]:
        """As `socket.accept`; raises ConnectionAbortedError for a peer that is not us or root."""
        connection, address = super().accept()
        if not is_same_user(connection):
            connection.close()
            raise ConnectionAbortedError("a process of another user")
        return connection, address


def listen(path: Path, backlog: int = 16, *, replace: bool = False) -> Listener:
    """A non-blocking socket of mode 0600 at `path`; one that a dead process left is replaced.

    replace: take the place of any socket at once, without a moment in which none is there. For
    callers that hold a lock.

    Raises:
        FileExistsError: a process answers there, or it is another kind of file.
        OSError: it cannot be made.
    """
    listener = Listener(socket.AF_UNIX, socket.SOCK_STREAM)
    place = path.with_name(f"{path.name}.new") if replace else path
    try:
        listener.setblocking(False)
        with socket_address(place) as address:
            if replace:  # this name is ours alone, and the umask is that of all threads
                place.unlink(missing_ok=True)
                listener.bind(address)
                place.chmod(0o600)
            else:
                _clear(place, address)
                _bind_private(listener, address)
        listener.listen(backlog)
        if replace:
            place.rename(path)
    except OSError:
        listener.close()
        raise
    return listener


def _bind_private(listener: socket.socket, address: str) -> None:
    mask = os.umask(0o177)
    try:
        listener.bind(address)
    finally:
        os.umask(mask)


def _clear(path: Path, address: str) -> None:
    """Remove the socket of a process that ended."""
    if path.is_socket():
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
            if probe.connect_ex(address) == 0:
                raise FileExistsError(17, "a running process answers there", str(path))
        path.unlink()
    elif path.exists():
        raise FileExistsError(17, "a file that is not a socket is there", str(path))


def connect(path: Path, timeout: float) -> socket.socket:
    """A connection to the process that listens at `path`; raises OSError.

    timeout: seconds for this and every later call; 0 never waits.
    """
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        connection.settimeout(timeout)
        with socket_address(path) as address:
            connection.connect(address)
    except OSError:
        connection.close()
        raise
    return connection
