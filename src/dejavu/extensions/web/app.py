"""The ASGI application: endpoints as routes, events, the page, and errors as sentences.

`auth.Guard` comes before it. Endpoints run in threads, so a slow archive never holds up events.
"""

from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any
from urllib.parse import parse_qs

import anyio
from sse_starlette import EventSourceResponse, ServerSentEvent
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from dejavu.model import ArchiveError, DejavuError, InvalidValueError, NotFoundError
from dejavu.sessions import session_store as sessions
from dejavu.sessions.delivery import receipt_of
from dejavu.sessions.send_input import InputRefusedError

from . import metrics, pages
from .agentapi import AgentApi
from .endpoint import BadRequestError, Endpoint, JsonAnswer, from_body, from_query, read_body
from .endpoints import ENDPOINTS
from .event_log import POLL, EventLog
from .openapi import document

PING = 15  # seconds
_RETRY = 1000  # milliseconds after which a browser comes back


def build(*, version: str, token: bool, agentapi: str | None = None) -> Starlette:
    """The application; `token` says in its OpenAPI document that requests need one.

    agentapi: the session whose paths as agentapi has them are answered, too.
    """
    described = document(ENDPOINTS, version=version, token=token)

    async def openapi(_request: Request) -> Response:
        return JsonAnswer(described)

    routes = [
        *pages.routes(token=token, version=version),
        Route("/openapi.json", openapi, methods=["GET"]),
        Route("/metrics", _metrics(version), methods=["GET"]),
        Route("/v1/events", _events(EventLog()), methods=["GET"]),
        *(AgentApi(agentapi).routes if agentapi is not None else ()),
        *(Route(e.path, _route(e), methods=[e.method]) for e in ENDPOINTS),
    ]
    handlers: Any = {404: _unknown, 405: _unknown, Exception: _fault}
    return Starlette(routes=routes, exception_handlers=handlers)


def _metrics(version: str) -> Callable[[Request], Awaitable[Response]]:
    async def route(_request: Request) -> Response:
        text = await run_in_threadpool(metrics.exposition, version)
        return Response(text, headers={"content-type": metrics.CONTENT_TYPE})

    return route


def _route(endpoint: Endpoint) -> Callable[[Request], Awaitable[Response]]:
    """A route that reads the request by the endpoint's parameters, and answers."""

    async def route(request: Request) -> Response:
        try:
            query = parse_qs(request.url.query, keep_blank_values=True)
            values = {**request.path_params, **from_query(endpoint.query, query)}
            if endpoint.method == "POST":
                values |= from_body(endpoint.body, await read_body(request) or b"{}")
            return JsonAnswer(await run_in_threadpool(endpoint.answer, **values))
        except InputRefusedError as error:
            told = {"error": str(error), **receipt_of(error)._asdict()}
            return JsonAnswer(told, _status(error))
        except DejavuError as error:
            return JsonAnswer({"error": str(error)}, _status(error))

    return route


def _status(error: Exception) -> int:
    match error:
        case BadRequestError() | InvalidValueError():
            return 400
        case NotFoundError():
            return 404
        case InputRefusedError():
            return 409
        case ArchiveError():
            return 503
        case _:
            return 500


async def _unknown(request: Request, error: Exception) -> Response:
    status = getattr(error, "status_code", 404)
    message = "there is nothing here" if status == 404 else f"{request.method} is not possible here"
    return JsonAnswer({"error": f"{message}; GET /openapi.json says what is"}, status)


async def _fault(_request: Request, error: Exception) -> Response:
    # Its text may hold what an agent said: the name is enough.
    message = f"this is a fault of ours ({type(error).__name__})"
    return JsonAnswer({"error": message}, 500)


def _events(log: EventLog) -> Callable[[Request], Awaitable[Response]]:
    """The route of events: all of them, or with `?session=` those of one session."""

    async def route(request: Request) -> Response:
        wanted = request.query_params.get("session", "")
        try:
            session = sessions.find(wanted).session.id if wanted else ""
        except DejavuError as error:
            return JsonAnswer({"error": str(error)}, _status(error))
        last_id = request.headers.get("last-event-id", "")
        return EventSourceResponse(_changes(log, last_id, session), ping=PING, sep="\n")

    return route


async def _changes(log: EventLog, last_id: str, session: str) -> AsyncIterator[ServerSentEvent]:
    """What the listener has missed, or every live session; then what changes."""
    number, events = log.start(last_id)
    while True:
        for event in events:
            if not session or event.session == session:
                yield ServerSentEvent(
                    event.data, event=event.name, id=log.id_of(event), retry=_RETRY, sep="\n"
                )
            number = max(number, event.number)
        if not events:
            await anyio.sleep(POLL)
        events = log.after(number)
