"""The OTLP/HTTP receiver: agents' telemetry into the archive.

Takes export requests on a loopback port, JSON or protobuf, plain or compressed; gives each to
`keep` as a line of its session's source, and answers as a collector does. Only this user's
processes are heard, and no browser's page. Metrics are taken and passed over. Memory: one body
of at most `LIMIT` bytes a connection. Source: the OTLP specification 1.x, "OTLP/HTTP".
"""

import asyncio
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import h11
import msgspec

from dejavu.config.clock import now
from dejavu.ingest.spooled import Feed
from dejavu.model import Vector
from dejavu.providers import Kind, Source
from dejavu.providers.formats.otlp import SIGNALS, TELEMETRY, agent_of, body_of, events, line

from ..wire.connection import PIECE, Peer, media_type, owner, plain_headers
from ..wire.decoding import decoder

LIMIT = 32 << 20
CONNECTIONS = 64
_IDLE = 600.0
_SESSION = ("session.id", "conversation.id")
_HOSTS = ("127.0.0.1", "localhost")
_JSON, _PROTOBUF = "application/json", "application/x-protobuf"


class _RefusedError(Exception):
    def __init__(self, status: int, sentence: str) -> None:
        super().__init__(sentence)
        self.status = status


class Receiver:
    """Serves until its server is closed. `keep` gets a source and a line of it."""

    def __init__(
        self, keep: Callable[[Feed, bytes], None], *, instance: str, workspace: str | None
    ) -> None:
        self._keep, self._instance, self._workspace = keep, instance, workspace
        self._open = 0
        self.strangers = 0
        """Exports of programs that are none of our agents."""

    async def listen(self, port: int) -> asyncio.Server:
        """Listen on 127.0.0.1; port 0 is any that is free. Raises OSError."""
        return await asyncio.start_server(self.client, "127.0.0.1", port, limit=4 * PIECE)

    async def client(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Serve one connection."""
        peer = Peer(h11.SERVER, reader, writer)
        self._open += 1
        try:
            if self._open > CONNECTIONS or owner(writer) not in (None, os.geteuid()):
                return
            while await self._request(peer) and peer.again():
                pass
        except (OSError, h11.ProtocolError, TimeoutError, asyncio.CancelledError):
            return  # the client has gone, or speaks no HTTP, or this is the end
        finally:
            self._open -= 1
            peer.close()

    async def _request(self, peer: Peer) -> bool:
        """Answer one request; False if the connection is of no more use."""
        try:
            request = await asyncio.wait_for(peer.event(), _IDLE)
            if not isinstance(request, h11.Request):
                return False
            headers, path = plain_headers(request), request.target.decode("latin-1")
            path = path.partition("?")[0]
            _allowed(request.method, path, headers)
            body = await asyncio.wait_for(_body(peer, headers), _IDLE)
            self._take(path, body, media_type(headers))
        except _RefusedError as error:
            await peer.refuse(error.status, f"dejavu otlp: {error}")
            return peer.http.their_state is h11.DONE
        if media_type(headers) == _JSON:
            await peer.answer(200, b"{}", _JSON)
        else:
            await peer.answer(200, b"", _PROTOBUF)  # an empty message: all of it was taken
        return True

    def _take(self, path: str, body: bytes, kind: str) -> None:
        if path not in SIGNALS:
            return
        try:
            kept = line(path, body, kind, now())
        except ValueError as error:
            raise _RefusedError(400, str(error)) from error
        export = body_of(msgspec.json.decode(kept))
        if export is None:
            raise _RefusedError(400, f"{path}: the body is no OTLP request")
        agent = agent_of(export)
        if agent is None:
            self.strangers += 1
            return
        self._keep(self._feed(agent, session_of(export)), kept)

    def _feed(self, agent: str, session: str) -> Feed:
        name = f"otlp:{session}"
        source = Source(
            agent=agent, path=Path(name), instance=self._instance, kind=Kind.APPEND,
            native_id=session or None, workspace=self._workspace, name=name,
        )  # fmt: skip
        return Feed(source, TELEMETRY[agent].parser, Vector.OTLP)


def session_of(export: dict[str, Any]) -> str:
    """The agent's id of the session an export speaks of; "" where it does not tell."""
    for event in events(export):
        for name in _SESSION:
            if isinstance(found := event.attributes.get(name), str) and found:
                return found
    return ""


def _allowed(method: bytes, path: str, headers: Mapping[str, str]) -> None:
    """The rules of a request's head, before anything else of it is read."""
    if "origin" in headers or headers.get("host", "").rpartition(":")[0] not in _HOSTS:
        raise _RefusedError(403, "for programs on this machine only")
    if path not in SIGNALS and path != "/v1/metrics":
        raise _RefusedError(404, "takes /v1/logs, /v1/traces and /v1/metrics")
    if method != b"POST":
        raise _RefusedError(405, "takes POST only")
    if media_type(headers) not in (_JSON, _PROTOBUF):
        raise _RefusedError(415, f"takes {_JSON} and {_PROTOBUF}")


async def _body(peer: Peer, headers: Mapping[str, str]) -> bytes:
    """The whole body, decoded."""
    decoding = decoder(headers.get("content-encoding", ""))
    if decoding is None:
        raise _RefusedError(415, "cannot read this Content-Encoding; gzip will do")
    body = bytearray()
    while isinstance(event := await peer.event(), h11.Data):
        try:
            for piece in decoding.feed(bytes(event.data)):
                body += piece
                if len(body) > LIMIT:
                    raise _RefusedError(413, f"takes at most {LIMIT} bytes; export smaller batches")
        except ValueError as error:
            raise _RefusedError(400, str(error)) from error
    return bytes(body)
