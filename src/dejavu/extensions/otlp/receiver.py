"""The OTLP/HTTP receiver: export requests of agents, as lines of their sessions' spools.

An ASGI application (starlette). It takes JSON and protobuf, plain or compressed, passes each
request to `keep` as a line of its session's source, and answers as a collector does. Requests of
web pages (`Origin`, another `Host`) and those without the bearer token are refused; metrics are
accepted and dropped. Memory: one body of at most `MAX_BODY` bytes a connection. Source: the OTLP
specification 1.x, "OTLP/HTTP".
"""

import asyncio
import secrets
from collections.abc import Callable
from typing import Any

import msgspec
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from dejavu.config.clock import now
from dejavu.ingest.channel import Channel, pushed_source
from dejavu.model import ConfigError, Vector
from dejavu.providers.formats.otlp import SIGNALS, agent_of, body_of, events, line
from dejavu.services.bearer_token import given_token
from dejavu.services.content_coding import decoder

MAX_BODY = 32 << 20
"""Decoded bytes of a request, at most."""
TIMEOUT = 600
"""Seconds for a request's head, and for its body."""
_UNAUTHORIZED = (
    "no token, or another one; set OTEL_EXPORTER_OTLP_HEADERS as `dejavu otlp` prints it"
)
_METRICS = "/v1/metrics"
_SESSION_ATTRIBUTES = ("session.id", "conversation.id")
_HOSTS = ("127.0.0.1", "localhost")
_JSON, _PROTOBUF = "application/json", "application/x-protobuf"


class Receiver:
    """The application (`app`); `keep` is called with a source and a line of it."""

    def __init__(
        self,
        keep: Callable[[Channel, bytes], None],
        *,
        token: str,
        instance: str,
        workspace: str | None,
    ) -> None:
        self._keep, self._instance, self._workspace = keep, instance, workspace
        self._token = token.encode()
        self.unauthorized = 0
        """Exports without the token."""
        self.strangers = 0
        """Exports of programs that are none of our agents."""
        self.app = Starlette(
            routes=[Route(path, self._export, methods=["POST"]) for path in (*SIGNALS, _METRICS)],
            exception_handlers={HTTPException: _refuse},
        )

    async def _export(self, request: Request) -> Response:
        """Take one request, as a whole or not at all."""
        host = request.headers.get("host", "").rpartition(":")[0]
        if "origin" in request.headers or host not in _HOSTS:
            raise HTTPException(403, "for programs on this machine only")
        if not secrets.compare_digest(_token_of(request), self._token):
            self.unauthorized += 1
            raise HTTPException(401, _UNAUTHORIZED, {"WWW-Authenticate": "Bearer"})
        content_type = request.headers.get("content-type", "").partition(";")[0].strip().lower()
        if content_type not in (_JSON, _PROTOBUF):
            raise HTTPException(415, f"takes {_JSON} and {_PROTOBUF}")
        body = await _body(request)
        if request.url.path in SIGNALS:
            self._take(request.url.path, body, content_type)
        # An empty message, in either encoding: nothing was rejected.
        return Response(b"{}" if content_type == _JSON else b"", media_type=content_type)

    def _take(self, path: str, body: bytes, content_type: str) -> None:
        try:
            entry = line(path, body, content_type, now())
            export = body_of(msgspec.json.decode(entry))
        except ValueError as error:
            raise HTTPException(400, str(error)) from error
        except ConfigError as error:
            raise HTTPException(415, str(error)) from error
        if export is None:
            raise HTTPException(400, f"{path}: the body is no OTLP request")
        agent = agent_of(export)
        if agent is None:
            self.strangers += 1
            return
        self._keep(self._channel(agent, session_of(export)), entry)

    def _channel(self, agent: str, session: str) -> Channel:
        name = f"otlp:{session}"
        source = pushed_source(
            agent, name, self._instance, native_id=session or None, workspace=self._workspace
        )
        return Channel(Vector.OTLP, source)


def _token_of(request: Request) -> bytes:
    return given_token(request.headers.getlist("authorization")).encode()


def session_of(export: dict[str, Any]) -> str:
    """Return the agent's id of the session an export belongs to; "" if no event names one."""
    for event in events(export):
        for name in _SESSION_ATTRIBUTES:
            if isinstance(session := event.attributes.get(name), str) and session:
                return session
    return ""


async def _body(request: Request) -> bytes:
    """Return the whole body, decoded."""
    decoding = decoder(request.headers.get("content-encoding", ""))
    if decoding is None:
        raise HTTPException(415, "cannot read this Content-Encoding; gzip will do")
    body = bytearray()
    try:
        async with asyncio.timeout(TIMEOUT):
            async for chunk in request.stream():
                for piece in decoding.feed(chunk):
                    body += piece
                    if len(body) > MAX_BODY:
                        raise HTTPException(
                            413, f"takes at most {MAX_BODY} bytes; export smaller batches"
                        )
    except (TimeoutError, ClientDisconnect):
        raise HTTPException(408, "the body did not arrive") from None
    except ValueError as error:
        raise HTTPException(400, str(error)) from error
    return bytes(body)


async def _refuse(_request: Request, error: Exception) -> Response:
    """Answer with one sentence; also for what starlette's router refuses."""
    assert isinstance(error, HTTPException)  # noqa: S101 - registered for no other
    sentence = {
        404: f"takes {', '.join(SIGNALS)} and {_METRICS}",
        405: "takes POST only",
    }.get(error.status_code, error.detail)
    return PlainTextResponse(f"dejavu otlp: {sentence}\n", error.status_code, error.headers)
