"""Unix sockets that only their owner may use.

Opens listening sockets (mode 0600) and connected ones by path. Standard library only, and
the capsule's addresses for paths that are too long for one.
"""

import os
import socket
from pathlib import Path

from dejavu.capsule.peer_identity import is_same_user
from dejavu.capsule.socket_address import socket_address


class Listener(socket.socket):
    """A listening socket that turns other users away, whatever its file's mode came to be."""

    def accept(self) -> tuple[socket.socket, str]:
        """As ever; raises ConnectionAbortedError for a peer that is not us (or root)."""
        connection, address = super().accept()
        if not is_same_user(connection):
            connection.close()
            raise ConnectionAbortedError("a process of another user")
        return connection, str(address)


def listen(path: Path, backlog: int = 16) -> Listener:
    """A non-blocking socket that listens at `path`; one left there by a dead process is replaced.

    Raises:
        FileExistsError: somebody answers there, or it is no socket.
        OSError: it can not be made.
    """
    listener = Listener(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        listener.setblocking(False)
        with socket_address(path) as address:
            if path.is_socket():
                with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
                    if probe.connect_ex(address) == 0:
                        raise FileExistsError(17, "a running process answers there", str(path))
                path.unlink()
            elif path.exists():
                raise FileExistsError(17, "there is a file that is no socket", str(path))
            mask = os.umask(0o177)
            try:
                listener.bind(address)
            finally:
                os.umask(mask)
        listener.listen(backlog)
    except OSError:
        listener.close()
        raise
    return listener


def connect(path: Path, timeout: float) -> socket.socket:
    """A connection to whoever listens at `path`. Raises OSError."""
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        connection.settimeout(timeout)
        with socket_address(path) as address:
            connection.connect(address)
    except OSError:
        connection.close()
        raise
    return connection
