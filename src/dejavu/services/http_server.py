"""Loopback HTTP servers on uvicorn, with the limits that every server of ours keeps.

A connection from a process of another user (root excepted) is closed before a byte of it is read, and
so is one whose process cannot be found, where the system tells whose they are (Linux). One that has
no request in progress for `idle` seconds is closed, and one whose head or body does not come to its
end: uvicorn's own time-out ends with the first byte, so half a request would hold a place for ever.
Needs the extra `http` or `otlp`; knows no route.
"""

import asyncio
import socket
from typing import Any

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from dejavu.capsule.peer_identity import is_same_user

CONNECTIONS = 64
"""Connections and requests at a time; uvicorn answers 503 beyond."""
WAITING = CONNECTIONS // 2
"""Connections without a request: beyond, the oldest is closed, so that no client is shut out by them."""
HEAD_SECONDS = 15.0
BODY_SECONDS = 120.0
"""From its first byte on."""


class LocalProtocol(H11Protocol):
    """uvicorn's HTTP/1.1 connection for this user only, closed when it sends no request."""

    _timer: asyncio.TimerHandle | None = None
    _due = ""
    _since = 0.0

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as in uvicorn
        """Begin, or abort for another user's process."""
        super().connection_made(transport)
        if not is_same_user(transport.get_extra_info("socket")):
            transport.abort()
            return
        self._expect("request", self.timeout_keep_alive)
        self._make_room()

    def connection_lost(self, exc: Exception | None) -> None:
        """End, and the timer with it."""
        super().connection_lost(exc)
        if self._timer is not None:
            self._timer.cancel()

    def data_received(self, data: bytes) -> None:
        """Take bytes; from its first one on, a head or a body must be complete in time."""
        super().data_received(data)
        if self._waits() and self._due == "request" and self.conn.trailing_data[0]:
            self._expect("head", min(HEAD_SECONDS, self.timeout_keep_alive))
        elif not self._waits() and self._due != "body":
            self._expect("body", BODY_SECONDS)

    def on_response_complete(self) -> None:
        """Wait for the next request of this connection."""
        super().on_response_complete()
        self._expect("request", self.timeout_keep_alive)

    def _expect(self, what: str, seconds: float) -> None:
        """Close the connection unless it has sent a request, its head or its body in time."""
        if self._timer is not None:
            self._timer.cancel()
        self._due, self._since = what, self.loop.time()
        self._timer = self.loop.call_later(seconds, self._close_if_due)

    def _waits(self) -> bool:
        """Whether no request is in progress."""
        cycle: Any = self.cycle  # None before the first request, which uvicorn's type leaves out
        return cycle is None or bool(cycle.response_complete)

    def _close_if_due(self) -> None:
        if self._waits() or self.cycle.more_body:
            self.transport.close()

    def _make_room(self) -> None:
        """Close the connections that have waited longest, where too many have no request."""
        others: list[LocalProtocol] = [
            one for one in self.connections if isinstance(one, LocalProtocol)
        ]
        waiting = [one for one in others if one._waits() and not one.transport.is_closing()]
        for one in sorted(waiting, key=lambda one: one._since)[: len(waiting) - WAITING]:
            if one is not self:
                one.transport.close()


def config(app: Any, *, idle: int) -> uvicorn.Config:
    """Return uvicorn's settings for an ASGI application on a listening socket of ours.

    idle: seconds that a connection may take to begin a request.
    """
    return uvicorn.Config(
        app,
        loop="asyncio",  # others would not use our Unix listener's accept, which checks the peer
        http=LocalProtocol,
        ws="none",
        lifespan="off",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        limit_concurrency=CONNECTIONS,
        timeout_keep_alive=idle,
        timeout_graceful_shutdown=1,
    )


def on_port(port: int) -> socket.socket:
    """Return a listening socket of 127.0.0.1; port 0 is any that is free. Raises OSError."""
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(("127.0.0.1", port))
        listener.listen(CONNECTIONS)
    except OSError:
        listener.close()
        raise
    return listener
