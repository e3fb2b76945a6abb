"""A thread that answers requests on a Unix socket, one after the other.

A request is what a peer sends until it shuts down its side; the answer is sent and the peer closed.
The socket is in the working folder of the daemon, mode 0600, for its path must be short. A peer
that stalls is left after `stall` seconds. Costs O(request) a peer.
"""

import contextlib
import selectors
import threading
import time
from abc import ABC, abstractmethod
from pathlib import Path

from dejavu.capsule.unix_socket import Listener, listen

BACKLOG = 512
"""Connections that may wait: as many hooks as may be called at once."""
_STEP = 0.2  # seconds after which a request to leave is noticed


class SocketThread(threading.Thread, ABC):
    """Answers at the socket `name`; a subclass says what, and what is done between requests."""

    def __init__(self, name: str, socket_name: str, *, largest: int, stall: float) -> None:
        """`largest` is how many bytes a request may have, `stall` the seconds it may rest."""
        super().__init__(name=name, daemon=True)
        self.last = time.monotonic()
        """When there was something to do, as `time.monotonic` tells it."""
        self._socket_name = socket_name
        self._largest, self._stall = largest, stall
        self._leaving = threading.Event()

    @abstractmethod
    def answer(self, request: bytes) -> bytes:
        """The answer to a request; never raises."""

    def prepare(self) -> None:
        """What is done before the first request."""

    def idle(self) -> float:
        """Work for a moment between requests; return the seconds until there may be more."""
        return _STEP

    def release(self) -> None:
        """What is done at the end."""

    def close(self) -> None:
        """Leave soon, and wait for it a moment."""
        self._leaving.set()
        self.join(2.0)

    def run(self) -> None:
        """Answer until told to leave. A fault of ours ends the thread, not the daemon."""
        try:
            listener = listen(Path(self._socket_name), BACKLOG, replace=True)
        except FileNotFoundError:  # the working folder was thrown away: the daemon goes, too
            return
        with contextlib.closing(listener), selectors.DefaultSelector() as selector:
            selector.register(listener, selectors.EVENT_READ)
            try:
                self.prepare()
                pause = 0.0
                while not self._leaving.is_set():
                    if selector.select(min(_STEP, max(0.0, pause))):
                        self._serve(listener)
                    pause = self.idle()
            finally:
                self.release()
                Path(self._socket_name).unlink(missing_ok=True)

    def _serve(self, listener: Listener) -> None:
        """Everybody who connected, in turn."""
        while True:
            try:
                peer, _ = listener.accept()
            except BlockingIOError:
                return
            except ConnectionAbortedError:
                continue
            with peer, contextlib.suppress(OSError):
                peer.settimeout(self._stall)
                request = bytearray()
                while len(request) <= self._largest and (piece := peer.recv(1 << 18)):
                    request += piece
                peer.sendall(self.answer(bytes(request)))
            self.last = time.monotonic()
