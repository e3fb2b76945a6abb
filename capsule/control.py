"""The control socket: other processes of the same user type into the agent and ask its size.

A Unix socket (0600) in the session's own folder; one msgpack map a request, one a reply:

    {"do": "send", "data": bytes}  ->  {"ok": true}
    {"do": "size"}                 ->  {"ok": true, "columns": 120, "lines": 40}
    anything refused               ->  {"ok": false, "error": "one sentence"}

Peers of another user are turned away by SO_PEERCRED, whatever the file's mode came to be. Every
bound is counted: clients, bytes of a request, bytes of replies not fetched. Whether typing is wise
just now (the agent asks a person) is the surface's to judge. Imported after the agent runs.
"""

from __future__ import annotations

import os
import select
import socket
import struct
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgpack.exceptions import UnpackException

from .fd_writer import NonBlockingWriter
from .frames import pack, unpacker

if TYPE_CHECKING:
    from collections.abc import Generator, Sequence
    from typing import Protocol

    from .tty import Size

    class InputTarget(Protocol):
        """What is controlled: the session."""

        size: Size

        def type(self, data: bytes) -> bool:
            """Type `data` into the agent; False when it does not take it now."""
            ...


MAX_REQUEST = 1 << 20  # bytes
MAX_CLIENTS = 16
MAX_REPLIES = 64 << 10  # bytes
_SUN_PATH = 104  # bytes a socket's address may have, on the least generous system


@contextmanager
def _address(path: Path) -> Generator[str]:
    """An address for `path` that fits, by way of its opened folder where it is too long."""
    if len(os.fsencode(path)) < _SUN_PATH:
        yield str(path)
        return
    folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        # Linux follows this to the folder; elsewhere bind fails and says so.
        yield f"/proc/self/fd/{folder}/{path.name}"
    finally:
        os.close(folder)


class _Client:
    """One connection: requests in, replies out."""

    def __init__(self, connection: socket.socket) -> None:
        self.socket = connection
        self.requests = unpacker(MAX_REQUEST)
        self.replies = NonBlockingWriter(connection.fileno(), MAX_REPLIES)


class ControlServer:
    """Serves `path` for `session` from the session's own loop (a `Pollable`).

    Raises OSError where the socket can not be made. A socket left there by a dead session is
    replaced; one that answers is not (FileExistsError).
    """

    def __init__(self, path: str | os.PathLike[str], session: InputTarget) -> None:
        self._path = Path(path)
        self._session = session
        self._clients: dict[int, _Client] = {}
        self._listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            self._listener.setblocking(False)
            self._bind()
            self._listener.listen(MAX_CLIENTS)
        except OSError:
            self._listener.close()
            raise

    def _bind(self) -> None:
        with _address(self._path) as address:
            if self._path.is_socket():
                with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
                    if probe.connect_ex(address) == 0:
                        raise FileExistsError(f"{self._path} belongs to a running session")
                self._path.unlink()
            mask = os.umask(0o177)
            try:
                self._listener.bind(address)
            finally:
                os.umask(mask)

    def poll_fds(self) -> Sequence[tuple[int, int]]:
        """The listener, and each client: for its request or for room for its reply."""
        fds = [(self._listener.fileno(), select.POLLIN)]
        for fd, client in self._clients.items():
            fds.append((fd, select.POLLOUT if client.replies.pending else select.POLLIN))
        return fds

    def ready(self, fd: int) -> None:
        """Accept, answer or let go."""
        client = self._clients.get(fd)
        if client is None:
            self._accept()
        elif client.replies.pending:
            client.replies.flush()
            if client.replies.closed:
                self._dismiss(fd)
        else:
            self._serve(fd, client)

    def is_behind(self) -> bool:
        """No: its replies are short, and who does not fetch them is dropped."""
        return False

    def abort(self) -> None:
        """Close everything and take the socket away."""
        for fd in tuple(self._clients):
            self._dismiss(fd)
        if self._listener.fileno() >= 0:
            self._listener.close()
            self._path.unlink(missing_ok=True)

    def _accept(self) -> None:
        try:
            connection, _ = self._listener.accept()
        except OSError:
            return  # it went away again
        if len(self._clients) >= MAX_CLIENTS or not _same_user(connection):
            connection.close()
            return
        connection.setblocking(False)
        self._clients[connection.fileno()] = _Client(connection)

    def _serve(self, fd: int, client: _Client) -> None:
        try:
            data = client.socket.recv(65536)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if not data:
            self._dismiss(fd)
            return
        try:
            client.requests.feed(data)
            for request in client.requests:
                client.replies.write(pack(self._answer(request)))
        except (ValueError, UnpackException):
            self._dismiss(fd)  # not our language, or too long
            return
        if client.replies.closed or client.replies.full:
            self._dismiss(fd)

    def _dismiss(self, fd: int) -> None:
        client = self._clients.pop(fd)
        client.socket.close()

    def _answer(self, request: object) -> dict[str, object]:
        match request:
            case {"do": "send", "data": bytes(data)}:
                if self._session.type(data):
                    return {"ok": True}
                return {"ok": False, "error": "the agent does not take input now"}
            case {"do": "size"}:
                size = self._session.size
                return {"ok": True, "columns": size.columns, "lines": size.lines}
            case _:
                return {"ok": False, "error": "unknown request"}


def _same_user(connection: socket.socket) -> bool:
    """Whether the other end is us (or root). Where the system can not tell, the mode decides."""
    option = getattr(socket, "SO_PEERCRED", None)
    if option is None:
        return True
    credentials = connection.getsockopt(socket.SOL_SOCKET, option, struct.calcsize("3i"))
    _, uid, _ = struct.unpack("3i", credentials)
    return uid in (0, os.geteuid())


def ask(path: str | os.PathLike[str], request: dict[str, object], timeout: float = 5.0) -> Any:
    """Send one request to the session that serves `path`; its reply (a dict).

    Raises OSError (FileNotFoundError, ConnectionRefusedError: no such session; TimeoutError: it
    did not answer in `timeout` seconds; ConnectionError: it hung up).
    """
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
        connection.settimeout(timeout)
        with _address(Path(path)) as address:
            connection.connect(address)
        connection.sendall(pack(request))
        replies = unpacker(MAX_REQUEST)
        while data := connection.recv(65536):
            replies.feed(data)
            for reply in replies:
                return reply
    raise ConnectionError(f"{path}: the session hung up without a reply")


def send(path: str | os.PathLike[str], data: bytes, timeout: float = 5.0) -> None:
    """Type `data` into the agent of the session that serves `path`.

    Raises OSError as `ask` does, and `CaptureError` when the session refuses.
    """
    reply = ask(path, {"do": "send", "data": data}, timeout)
    if not reply.get("ok"):
        from dejavu.model.errors import CaptureError

        raise CaptureError(f"{path}: {reply.get('error')}")


def size(path: str | os.PathLike[str], timeout: float = 5.0) -> tuple[int, int]:
    """(columns, lines) of the agent's window. Raises OSError as `ask` does."""
    reply = ask(path, {"do": "size"}, timeout)
    return reply["columns"], reply["lines"]
