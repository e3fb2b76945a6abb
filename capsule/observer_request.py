"""`ObserverRequest`: ask the user's observer server for an observer, without waiting for it.

The server (`sessions.observer.server`) has imported all that an observer needs and forks one, or
has one that observes other sessions, too. It gets, in one message over its socket, the observer's
ends of the pipes and the working folder as descriptors, and what else a process inherits. The
observer says that it is ready and begins only on request: a caller that closes the connection before
can be sure that no one reads the pipe, and start an observer otherwise. Cost: a few system calls,
O(environment) bytes.
"""

from __future__ import annotations

import os
import socket
import struct
from pathlib import Path

from .peer_identity import peer_user
from .unix_socket import connect

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

READY, GO = b"r", b"g"
SHARED, ALONE = b"shared", b"alone"
"""Whether the observer may be one process with those of other sessions."""

LENGTH = struct.Struct(">I")
DESCRIPTORS = 3
"""How many are sent: frames to read, where reports are written, the working folder."""
LARGEST = 4 << 20  # bytes of a message


# Linux alone has it, and forks observers; elsewhere nothing here is called.
_O_PATH: int = getattr(os, "O_PATH", os.O_RDONLY)


class ObserverRequest:
    """One request. `fileno()` is readable when `answered` has something to tell.

    Raises OSError where there is no server, or none of ours that takes it at once.
    """

    def __init__(
        self,
        path: str,
        identity: bytes,
        *,
        frames: int,
        reports: int,
        log: str,
        env: Mapping[str, str],
        shared: bool,
    ) -> None:
        way = SHARED if shared else ALONE
        fields = [identity, b"%d" % _umask(), os.fsencode(log), way]
        fields += [os.fsencode(f"{name}={value}") for name, value in env.items()]
        message = b"\0".join(fields)
        self._socket = connect(Path(path), 0)
        try:
            if peer_user(self._socket) != os.geteuid():
                raise PermissionError(f"{path} belongs to another user")
            self._send(LENGTH.pack(len(message)) + message, frames, reports)
        except OSError:
            self._socket.close()
            raise

    def _send(self, message: bytes, frames: int, reports: int) -> None:
        folder = os.open(".", _O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            rights = struct.pack("3i", frames, reports, folder)
            ancillary = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, rights)]
            if self._socket.sendmsg([message], ancillary) < len(message):
                raise BlockingIOError("the request does not fit into the socket")
        finally:
            os.close(folder)

    def fileno(self) -> int:
        """The connection's descriptor."""
        return self._socket.fileno()

    def answered(self) -> bool | None:
        """Tell the observer to begin: True once it does, None while there is no answer.

        False: no one will read the pipe, now or later.
        """
        try:
            if self._socket.recv(1) == READY and self._socket.send(GO):
                return True
        except BlockingIOError:
            return None
        except OSError:
            return False
        return False

    def close(self) -> None:
        """Take the request back, unless it was answered."""
        self._socket.close()


def _umask() -> int:
    mask = os.umask(0o077)  # there is no other way to ask
    os.umask(mask)
    return mask
