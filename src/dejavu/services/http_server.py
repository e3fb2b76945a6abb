"""Loopback HTTP servers on uvicorn, with the limits that every server of ours keeps.

A connection from a process of another user (root excepted) is closed before a byte of it is read,
where the system tells whose it is. One that has no request in progress for `idle` seconds is closed:
uvicorn's own time-out ends with the first byte, so half a request head would hold a place for ever.
Needs the extra `http` or `otlp`; knows no route.
"""

import asyncio
import os
import socket
from typing import Any

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from .wire.connection import owner

CONNECTIONS = 64
"""Connections and requests at a time; uvicorn answers 503 beyond."""


class LocalProtocol(H11Protocol):
    """uvicorn's HTTP/1.1 connection for this user only, closed when it sends no request."""

    _timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as in uvicorn
        """Begin, or abort for another user's process. O(sockets of this machine)."""
        super().connection_made(transport)
        is_tcp = isinstance(transport.get_extra_info("peername"), tuple)
        if is_tcp and owner(transport) not in (None, 0, os.geteuid()):
            transport.abort()
            return
        self._expect_request()

    def connection_lost(self, exc: Exception | None) -> None:
        """End, and the timer with it."""
        super().connection_lost(exc)
        if self._timer is not None:
            self._timer.cancel()

    def on_response_complete(self) -> None:
        """Wait for the next request of this connection."""
        super().on_response_complete()
        self._expect_request()

    def _expect_request(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer = self.loop.call_later(self.timeout_keep_alive, self._close_if_idle)

    def _close_if_idle(self) -> None:
        cycle: Any = self.cycle  # None before the first request, which uvicorn's type leaves out
        if cycle is None or cycle.response_complete:
            self.transport.close()


def config(app: Any, *, idle: int) -> uvicorn.Config:
    """Return uvicorn's settings for an ASGI application on a listening socket of ours.

    idle: seconds that a connection may take to send a request's head.
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
