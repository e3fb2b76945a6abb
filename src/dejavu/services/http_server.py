"""Loopback HTTP servers on uvicorn, with the limits that every server of ours keeps.

A connection from a process of another user (root excepted) is closed where it is accepted, before it
counts, and so is one whose process cannot be found, where the system tells whose they are (Linux). One
that has no request in progress for `idle` seconds is closed, and one whose head or body does not come to its
end: uvicorn's own time-out ends with the first byte, so half a request would hold a place for ever.
Needs the extra `http` or `otlp`; knows no route.
"""

import asyncio
import os
import socket
from contextlib import suppress
from typing import Any

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from dejavu.capsule.peer_identity import port_user, user_name
from dejavu.capsule.unix_socket import Listener

CONNECTIONS = 64
"""Connections and requests at a time; uvicorn answers 503 beyond."""
WAITING = CONNECTIONS // 2
"""Connections without a request: beyond, the oldest is closed, so that no client is shut out by them."""
STRANGERS = 128
"""Connections of other users that are closed before anything else is done."""
HEAD_SECONDS = 15.0
BODY_SECONDS = 120.0
"""From its first byte on."""


class PortListener(Listener):
    """A listening port that other users cannot keep busy: many of their connections go in one turn."""

    def accept(self) -> tuple[socket.socket, Any]:
        """As `Listener.accept`; raises ConnectionAbortedError for so many strangers in a row."""
        for _ in range(STRANGERS - 1):
            with suppress(ConnectionAbortedError):
                return super().accept()
        return super().accept()


class LocalProtocol(H11Protocol):
    """uvicorn's HTTP/1.1 connection, closed when it sends no request."""

    _timer: asyncio.TimerHandle | None = None
    _due = ""
    _since = 0.0

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as in uvicorn
        """Begin to wait for a request."""
        super().connection_made(transport)
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
        loop="asyncio",  # others would not use our listener's accept, which checks the peer
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
    """Return a listening socket of 127.0.0.1 for this user; port 0 is any that is free.

    Raises:
        PermissionError: another user's process has the port; the message names the user.
        OSError: it cannot be had.
    """
    listener = PortListener(socket.AF_INET, socket.SOCK_STREAM)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(("127.0.0.1", port))
        listener.listen(CONNECTIONS)
    except OSError as error:
        listener.close()
        user = port_user(port)
        if user is None or user == os.geteuid():
            raise
        raise PermissionError(error.errno, f"{user_name(user)} has it") from error
    return listener
