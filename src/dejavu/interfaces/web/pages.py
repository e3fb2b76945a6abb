"""The routes of the pages, and of the files that they are made of.

Pages stand behind `auth.Guard` like everything else; over TCP the root without the page's key is the
door, which holds nothing of anybody.
"""

from collections.abc import Callable
from urllib.parse import parse_qs

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from dejavu.model import DejavuError, NotFoundError

from .auth import ASSETS, BASE
from .conversation_views import listing, reading
from .fleet_view import fleet
from .frame import ASSET_TYPES, asset, door


def routes(*, token: bool) -> list[Route]:
    """Every page; `token`: whether a browser has to come through the door."""

    async def root(request: Request) -> Response:
        base = request.scope.get(BASE)
        if token and base is None:
            return HTMLResponse(door())
        return HTMLResponse(await run_in_threadpool(fleet, base or ""))

    async def conversations(request: Request) -> Response:
        query = {name: values[0] for name, values in parse_qs(request.url.query).items()}
        return await _page(listing, query, request.scope.get(BASE, ""))

    async def conversation(request: Request) -> Response:
        name = request.path_params["conversation"]
        page = request.query_params.get("page", "1")
        return await _page(reading, name, page, request.scope.get(BASE, ""))

    return [
        Route("/", root, methods=["GET"]),
        Route("/conversations", conversations, methods=["GET"]),
        Route("/conversations/{conversation}", conversation, methods=["GET"]),
        Route(ASSETS + "{name}", _asset, methods=["GET"]),
    ]


async def _page(make: Callable[..., str], *arguments: object) -> Response:
    """A page made beside the events; what cannot be is said in a sentence."""
    try:
        return HTMLResponse(await run_in_threadpool(make, *arguments))
    except NotFoundError as error:
        return PlainTextResponse(str(error), 404)
    except DejavuError as error:
        return PlainTextResponse(str(error), 400)


async def _asset(request: Request) -> Response:
    name = request.path_params["name"]
    text = asset(name)
    if text is None:
        return JSONResponse({"error": "there is no such file"}, 404)
    return Response(text, media_type=ASSET_TYPES[name.rpartition(".")[2]])
