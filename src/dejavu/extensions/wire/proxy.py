"""The reverse proxy: an agent's requests to its model's server and back, and a copy of each.

Accepts connections on a loopback port, passes bodies on byte for byte and piece by piece, both ways
at once, and hands each exchange with a model to `keep`. A client has one connection to the server,
used again while both allow it, so only a client's first request waits for TLS. What cannot be
passed on is answered with 502 and one sentence; an answer that breaks off is broken off here too.
Memory: a few pieces a connection, and what a `Tap` may hold. Nothing is logged.
"""

import asyncio
import ssl
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import h11

from dejavu.capsule.peer_identity import is_same_user
from dejavu.services.content_coding import acceptable

from .connection import (
    PIECE,
    Fields,
    HttpConnection,
    PeerGoneError,
    forward_headers,
    is_framed_twice,
    plain_headers,
)
from .routes import Routes, Upstream
from .tap import Tap, tap_of

CONNECTIONS = 128
_CONNECT = 30.0  # seconds until a server that does not answer is given up
_IDLE = 600.0  # seconds a client may keep a connection without asking
_HEAD = 30.0  # seconds from the first byte of a request's head to its last
_STALLED = 300.0  # seconds between two pieces of a request's body
_STALE = 30.0  # seconds after which a server may have forgotten a connection


class _UnreachableError(Exception):
    """The server gave no answer."""


class Proxy:
    """Serves the ways of one run. `keep` gets every exchange with a model when it is over."""

    def __init__(self, routes: Routes, keep: Callable[[Tap], None], tls: ssl.SSLContext) -> None:
        self._routes, self._keep, self._tls = routes, keep, tls
        self._sessions: dict[_Session, None] = {}

    async def client(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Serve one connection of an agent of this user until either side ends it.

        Where there are too many, the one that has been waiting longest for a request is closed.
        """
        if not is_same_user(writer.get_extra_info("socket")):
            return writer.transport.abort()
        session = _Session(
            self._routes, self._keep, self._tls, HttpConnection(h11.SERVER, reader, writer)
        )
        try:
            if len(self._sessions) >= CONNECTIONS:
                oldest = next((one for one in self._sessions if one.is_waiting), None)
                if oldest is None:
                    return None
                del self._sessions[oldest]
                oldest.close()
            self._sessions[session] = None
            await session.run()
        except (OSError, h11.ProtocolError, TimeoutError, asyncio.CancelledError):
            return None  # the client has gone, or speaks no HTTP, or this is the end
        finally:
            self._sessions.pop(session, None)
            session.close()

    async def listen(self, port: int = 0) -> asyncio.Server:
        """Listen on 127.0.0.1; port 0 is any that is free. Raises OSError."""
        return await asyncio.start_server(self.client, "127.0.0.1", port, limit=4 * PIECE)


class _Session:
    """One client's connection, and the one it has to a server."""

    def __init__(
        self,
        routes: Routes,
        keep: Callable[[Tap], None],
        tls: ssl.SSLContext,
        client: HttpConnection,
    ) -> None:
        self._routes, self._keep, self._tls, self._client = routes, keep, tls, client
        self._server: HttpConnection | None = None
        self._where: Upstream | None = None
        self._used = 0.0
        self.is_waiting = True

    def close(self) -> None:
        """Close both connections."""
        self._client.close()
        self._leave()

    async def run(self) -> None:
        """Pass on request after request."""
        client = self._client
        while True:
            try:
                self.is_waiting = True
                request = await client.head(idle=_IDLE, seconds=_HEAD)
                self.is_waiting = False
            except h11.RemoteProtocolError as error:
                return await client.refuse(error.error_status_hint, "dejavu wire: no HTTP request")
            if not isinstance(request, h11.Request):
                return None
            if is_framed_twice(request.headers):  # RFC 9112, 6.1
                return await client.refuse(400, "dejavu wire: the request has two lengths")
            found = self._routes.find(request.target.decode("latin-1"))
            if found is None:
                return await client.refuse(404, "dejavu wire: nothing is here")
            if b"upgrade" in dict(request.headers):
                # RFC 9110, 15.5.22: agents that tried a WebSocket go on with plain requests.
                return await client.refuse(426, "dejavu wire: passes plain HTTP requests only")
            try:
                done = await self._exchange(request, *found)
            except _UnreachableError as error:
                return await client.refuse(502, f"dejavu wire: {error}")
            if not done or not client.again():
                return None

    async def _exchange(self, request: h11.Request, where: Upstream, target: str) -> bool:
        """One request and its answer; whether both connections can be used again."""
        headers = plain_headers(request)
        tap = tap_of(target, headers) if request.method == b"POST" else None
        try:
            server = await self._begin(_request_head(request, where, target, tap), where)
            up = asyncio.create_task(self._upload(server, tap))
            down = asyncio.create_task(self._download(server, tap))
            try:
                return await self._both(server, up, down)
            finally:
                for task in (up, down):
                    task.cancel()
                await asyncio.gather(up, down, return_exceptions=True)
        finally:
            self._used = time.monotonic()
            if tap is not None:
                self._keep(tap)

    async def _both(
        self, server: HttpConnection, up: "asyncio.Task[None]", down: "asyncio.Task[None]"
    ) -> bool:
        """Wait for the answer's end, or the client's."""
        await asyncio.wait({up, down}, return_when=asyncio.FIRST_COMPLETED)
        if up.done() and isinstance(up.exception(), (PeerGoneError, h11.RemoteProtocolError)):
            # The person pressed Esc: the model must not keep talking to no one.
            self._leave(broken=True)
            return False
        # A server may answer before it has read all, and then read no more.
        await down
        if server.http.our_state is h11.DONE and server.again():
            return True
        self._leave()
        return self._client.http.their_state is h11.DONE

    async def _upload(self, server: HttpConnection, tap: Tap | None) -> None:
        client = self._client
        while True:
            try:
                async with asyncio.timeout(_STALLED):
                    event = await client.event()
            except OSError as error:  # TimeoutError is one
                raise PeerGoneError("the client has gone") from error
            if isinstance(event, h11.Data):
                data = bytes(event.data)
                await server.send(h11.Data(data=data))
                if tap is not None:
                    tap.request(data)
            elif isinstance(event, h11.EndOfMessage):
                await server.send(h11.EndOfMessage(headers=event.headers))
                return await client.closed()
            else:
                raise PeerGoneError("the client left in the middle of its request")

    async def _download(self, server: HttpConnection, tap: Tap | None) -> None:
        begun = False
        try:
            while not isinstance(event := await server.event(), h11.EndOfMessage):
                if isinstance(event, h11.Response):
                    begun = True
                    if tap is not None:
                        tap.begin(event.status_code, plain_headers(event))
                    await self._send(_response_head(event))
                elif isinstance(event, h11.Data):
                    data = bytes(event.data)
                    await self._send(h11.Data(data=data))
                    if tap is not None:
                        tap.response(data)
            await self._send(h11.EndOfMessage(headers=event.headers))
        except PeerGoneError:
            raise
        except (OSError, h11.RemoteProtocolError) as error:
            self._leave(broken=True)
            if begun:
                self._client.close(broken=True)
                raise PeerGoneError("the answer broke off") from error
            raise _UnreachableError(
                f"{self._where} gave no answer ({_describe_error(error)})"
            ) from error

    async def _send(self, event: Any) -> None:
        """To the client; that it has gone is not the server's fault."""
        try:
            await self._client.send(event)
        except OSError as error:
            raise PeerGoneError("the client has gone") from error

    async def _begin(self, head: h11.Request, where: Upstream) -> HttpConnection:
        """Send a request's head to the server, on an open connection or on a new one."""
        server = self._server
        if server is not None:
            fresh = time.monotonic() - self._used < _STALE and not server.reader.at_eof()
            if self._where == where and fresh:
                with suppress(OSError):
                    await server.send(head)
                    return server
            self._leave()
        self._server, self._where = await self._connect(where), where
        try:
            await self._server.send(head)
        except OSError as error:
            raise _UnreachableError(
                f"{where} closed the connection ({_describe_error(error)})"
            ) from error
        return self._server

    async def _connect(self, where: Upstream) -> HttpConnection:
        tls = self._tls if where.tls else None
        try:
            reader, writer = await asyncio.wait_for(
                asyncio.open_connection(where.host, where.port, ssl=tls, limit=4 * PIECE), _CONNECT
            )
        except (OSError, TimeoutError) as error:
            raise _UnreachableError(f"cannot reach {where} ({_describe_error(error)})") from error
        return HttpConnection(h11.CLIENT, reader, writer)

    def _leave(self, *, broken: bool = False) -> None:
        if self._server is not None:
            self._server.close(broken=broken)
        self._server = None


def _request_head(
    request: h11.Request, where: Upstream, target: str, tap: Tap | None
) -> h11.Request:
    """The request's head as the server gets it."""
    fields: Fields = [
        (b"Host", where.authority.encode()), *forward_headers(request.headers, (b"host", b"expect"))
    ]  # fmt: skip
    if any(name == b"transfer-encoding" for name, _ in request.headers):
        fields.append((b"Transfer-Encoding", b"chunked"))
    if tap is not None:
        # The server may choose only what can be read here too; the agent reads all of these.
        fields = [
            (name, acceptable(value.decode("latin-1")).encode("latin-1"))
            if name.lower() == b"accept-encoding"
            else (name, value)
            for name, value in fields
        ]
    return h11.Request(method=request.method, target=target.encode("latin-1"), headers=fields)


def _response_head(response: h11.Response) -> h11.Response:
    """The response's head as the agent gets it."""
    return h11.Response(
        status_code=response.status_code,
        reason=response.reason,
        headers=forward_headers(response.headers),
    )


def _describe_error(error: BaseException) -> str:
    """What went wrong, without what was sent."""
    if isinstance(error, TimeoutError):
        return f"no answer within {_CONNECT:.0f} s"
    if isinstance(error, ssl.SSLCertVerificationError):
        return f"its certificate: {error.verify_message}"
    text = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    return text or type(error).__name__
