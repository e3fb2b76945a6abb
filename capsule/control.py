"""The control socket: other processes of the same user type into the agent and ask its size.

A Unix socket (0600) in the session's own folder; one msgpack map a request, one a reply:

    {"do": "send", "data": bytes}  ->  {"ok": true, "typed": 812}; with "after": 811, only if it is that
    {"do": "report", "data": bytes} ->  {"ok": true}; an OSC 7501 for the outer terminal
    {"do": "announce", "data": bytes} ->  {"ok": true}; OSC 9;4, 777 or 1337, as the operator asked
    {"do": "size"}                 ->  {"ok": true, "columns": 120, "lines": 40, "offset": 4711,
                                    "typed": 811, "quiet": 2.5}; input in bytes, seconds since then
    {"do": "resize", "columns": 100, "lines": 30}  ->  {"ok": true}
    {"do": "attach"}               ->  {"ok": true, "offset": 4711, ...}, then events
    anything refused               ->  {"ok": false, "error": "one sentence"}

Behind the reply to `attach` the connection carries the session's events as `frames` has them:
output from byte `offset` of the session on, resizes, the exit. Its client types by
`{"do": "input", "data": bytes}`, which has no reply and is read as fast as the agent reads. One
that reads too slowly misses output, and a gap says how much; the agent never waits for it.

Peers of another user are turned away (`peer_identity`), whatever the file's mode came to be. Every
bound is counted: clients, bytes of a request, bytes of replies not fetched. Whether typing is wise
just now (the agent asks a person) is the surface's to judge. Imported after the agent runs.
"""

from __future__ import annotations

import os
import select
import socket
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgpack.exceptions import UnpackException

from .events import Exit, Gap, Output
from .fd_writer import NonBlockingWriter
from .frames import encode, pack, unpacker
from .stdio import HEADLESS, TERMINAL
from .unix_socket import connect, listen

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Protocol

    from .events import Event
    from .tty import Size

    class InputTarget(Protocol):
        """What is controlled: the session."""

        mode: str
        offset: int  # bytes of output so far
        input_offset: int  # bytes of input so far, from anywhere
        input_at: float  # when the last of them came, by the monotonic clock

        @property
        def size(self) -> Size:
            """The size that the agent's window has."""
            ...

        @property
        def input_full(self) -> bool:
            """Whether the agent has to read before it can be typed to."""
            ...

        def report(self, data: bytes) -> bool:
            """Say the agent's state to the outer terminal; False where there is none."""
            ...

        def announce(self, data: bytes) -> bool:
            """Write sequences that the operator asked for; False where there is no terminal."""
            ...

        def type(self, data: bytes) -> bool:
            """Type `data` into the agent; False when it does not take it now."""
            ...

        def set_size(self, columns: int, lines: int) -> bool:
            """Give the agent's window another size; False where that is not ours to change."""
            ...


MAX_REQUEST = 1 << 20  # bytes
MAX_CLIENTS = 16
MAX_REPORT = 4096  # bytes
MAX_REPLIES = 64 << 10  # bytes
MAX_OUTPUT = 1 << 20  # bytes of events that wait for an attached client
OTHERS_TYPED = "other keys came in between"
"""Why `send` with `after` is refused where others have typed since."""

MAX_SIZE = 9999  # columns or lines


class _Client:
    """One connection: requests in, replies out."""

    def __init__(self, connection: socket.socket) -> None:
        self.socket = connection
        self.requests = unpacker(MAX_REQUEST)
        self.replies = NonBlockingWriter(connection.fileno(), MAX_REPLIES)
        self.attached = False  # whether it gets the session's events
        self._lost = 0

    def event(self, event: Event) -> None:
        """Queue an event; output that finds the queue full is counted, until half of it is free."""
        if isinstance(event, Output):
            if self._lost or self.replies.pending + len(event.data) > MAX_OUTPUT:
                self._lost += len(event.data)
                if self.replies.pending > MAX_OUTPUT // 2:
                    return
                event = Gap(event.at, self._lost)
                self._lost = 0
        elif self._lost:
            self.replies.write(encode(Gap(getattr(event, "at", 0.0), self._lost)))
            self._lost = 0
        self.replies.write(encode(event))


class ControlServer:
    """Serves `path` for `session` from the session's own loop (a `Pollable`).

    Raises OSError where the socket can not be made. A socket left there by a dead session is
    replaced; one that answers is not (FileExistsError).
    """

    def __init__(self, path: str | os.PathLike[str], session: InputTarget) -> None:
        self._path = Path(path)
        self._session = session
        self._clients: dict[int, _Client] = {}
        self._closing = False
        self._listener = listen(self._path, MAX_CLIENTS)
        self.deadline: float | None = None  # clients may take their time

    def poll_fds(self) -> Sequence[tuple[int, int]]:
        """The listener, and each client: for its request or for room for its reply."""
        fds = [] if self._closing else [(self._listener.fileno(), select.POLLIN)]
        waits = self._session.input_full
        for fd, client in self._clients.items():
            mask = select.POLLOUT if client.replies.pending else 0
            if client.attached:
                # What it types waits in the socket while the agent does not read.
                mask |= 0 if waits or self._closing else select.POLLIN
            elif not mask:
                mask = select.POLLIN
            if mask:
                fds.append((fd, mask))
        return fds

    def ready(self, fd: int) -> None:
        """Accept, answer or let go."""
        client = self._clients.get(fd)
        if client is None:
            self._accept()
            return
        if client.replies.pending:
            client.replies.flush()
            if client.replies.closed or (self._closing and not client.replies.pending):
                self._dismiss(fd)
            if not client.attached:
                return
        if fd in self._clients and not self._closing and not self._session.input_full:
            self._serve(fd, client)

    def event(self, event: Event) -> None:
        """Hand an event on to every client that is attached."""
        for fd, client in tuple(self._clients.items()):
            if client.attached:
                client.event(event)
                told = isinstance(event, Exit) and not client.replies.pending
                if client.replies.closed or told:
                    self._dismiss(fd)

    def close(self) -> None:
        """The session is over: only what attached clients have not read yet is left to do."""
        self._closing = True
        for fd, client in tuple(self._clients.items()):
            if not (client.attached and client.replies.pending):
                self._dismiss(fd)
        self._unlink()

    def expire(self) -> None:
        """Nothing: there is no deadline."""

    def is_behind(self) -> bool:
        """Whether an attached client has not read all; the session does not wait long for it."""
        return any(c.attached and c.replies.pending for c in self._clients.values())

    def abort(self) -> None:
        """Close everything and take the socket away."""
        for fd in tuple(self._clients):
            self._dismiss(fd)
        self._unlink()

    def _unlink(self) -> None:
        if self._listener.fileno() >= 0:
            self._listener.close()
            self._path.unlink(missing_ok=True)

    def _accept(self) -> None:
        try:
            connection, _ = self._listener.accept()
        except OSError:
            return  # it went away again, or is another user
        if len(self._clients) >= MAX_CLIENTS:
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
                if (reply := self._answer(request, client)) is not None:
                    client.replies.write(pack(reply))
        except (TypeError, ValueError, UnpackException):
            self._dismiss(fd)  # not our language (a list as a key), or too long
            return
        if client.replies.closed or (client.replies.full and not client.attached):
            self._dismiss(fd)

    def _dismiss(self, fd: int) -> None:
        client = self._clients.pop(fd)
        client.socket.close()

    def _answer(self, request: object, client: _Client) -> dict[str, object] | None:
        session = self._session
        match request:
            case {"do": "input", "data": bytes(data)} if client.attached:
                session.type(data)  # the agent has ended where it refuses
                return None
            case {"do": "send", "after": int(after)} if after != session.input_offset:
                return {"ok": False, "error": OTHERS_TYPED}
            case {"do": "send", "data": bytes(data)}:
                if session.type(data):
                    return {"ok": True, "typed": session.input_offset}
                return {"ok": False, "error": "the agent does not take input now"}
            case {"do": "report", "data": bytes(data)} if len(data) <= MAX_REPORT:
                done = session.report(data)
                return {"ok": True} if done else {"ok": False, "error": "no terminal to report to"}
            case {"do": "announce", "data": bytes(data)} if len(data) <= MAX_REPORT:
                done = session.announce(data)
                return {"ok": True} if done else {"ok": False, "error": "no terminal for this"}
            case {"do": "size"}:
                return {
                    "ok": True, "columns": session.size.columns, "lines": session.size.lines,
                    "offset": session.offset, "typed": session.input_offset,
                    "quiet": min(time.monotonic() - session.input_at, 1e9),
                }  # fmt: skip
            case {"do": "resize", "columns": int(columns), "lines": int(lines)}:
                if not (0 < columns <= MAX_SIZE and 0 < lines <= MAX_SIZE):
                    return {"ok": False, "error": f"{columns}x{lines} is no size"}
                done = session.set_size(columns, lines)
                if client.attached:  # its stream holds events alone
                    return None
                return {"ok": True} if done else {"ok": False, "error": "its terminal decides"}
            case {"do": "attach"}:
                if session.mode not in (HEADLESS, TERMINAL):
                    return {"ok": False, "error": "it has no terminal"}
                client.attached = True
                return {
                    "ok": True, "offset": session.offset, "mode": session.mode,
                    "columns": session.size.columns, "lines": session.size.lines,
                }  # fmt: skip
            case _:
                return {"ok": False, "error": "unknown request"}


def ask(path: str | os.PathLike[str], request: dict[str, object], timeout: float = 5.0) -> Any:
    """Send one request to the session that serves `path`; its reply (a dict).

    Raises OSError (FileNotFoundError, ConnectionRefusedError: no such session; TimeoutError: it
    did not answer in `timeout` seconds; ConnectionError: it hung up).
    """
    with connect(Path(path), timeout) as connection:
        connection.sendall(pack(request))
        replies = unpacker(MAX_REQUEST)
        while data := connection.recv(65536):
            replies.feed(data)
            for reply in replies:
                return reply
    raise ConnectionError(f"{path}: the session hung up without a reply")


def send(
    path: str | os.PathLike[str], data: bytes, timeout: float = 5.0, *, after: int | None = None
) -> int:
    """Type `data` into the agent of the session that serves `path`.

    Return how many bytes of input it has had, from anywhere. after: type only where that count is
    still this one.

    Raises OSError as `ask` does, `KeysBetweenError` where others typed, and `CaptureError` when the
    session refuses.
    """
    guard = {} if after is None else {"after": after}
    reply = ask(path, {"do": "send", "data": data, **guard}, timeout)
    if not reply.get("ok"):
        from dejavu.model.errors import CaptureError, KeysBetweenError

        kind = KeysBetweenError if reply.get("error") == OTHERS_TYPED else CaptureError
        raise kind(f"{path}: {reply.get('error')}")
    return int(reply.get("typed", 0))


def size(path: str | os.PathLike[str], timeout: float = 5.0) -> tuple[int, int]:
    """(columns, lines) of the agent's window. Raises OSError as `ask` does."""
    reply = ask(path, {"do": "size"}, timeout)
    return reply["columns"], reply["lines"]
