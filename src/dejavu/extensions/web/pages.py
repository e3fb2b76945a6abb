"""The routes of the pages, and of the files that they are made of.

Pages stand behind `auth.Guard` like everything else; over TCP the root without the page's key is the
door, which holds nothing of anybody.

Tested in: tests/extensions/web/test_openapi.py
"""

from collections.abc import Awaitable, Callable
from urllib.parse import parse_qs

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response, StreamingResponse
from starlette.routing import Route

from dejavu.export.html import tag
from dejavu.interfaces.export_formats import Form
from dejavu.model import DejavuError, NotFoundError

from .agents_view import agents
from .auth import ASSETS, BASE
from .conversation_views import exported, listing, reading
from .doctor_view import doctor
from .endpoint import JsonAnswer
from .fleet_view import fleet
from .forms import problem
from .frame import ASSET_TYPES, asset, door, frame
from .memory_view import memory
from .moment_view import moment
from .usage_view import stats

_View = Callable[[dict[str, str], str], str]


def routes(*, token: bool, version: str = "") -> list[Route]:
    """Every page; `token`: whether a browser has to come through the door."""

    async def root(request: Request) -> Response:
        base = request.scope.get(BASE)
        if token and base is None:
            return HTMLResponse(door())
        return HTMLResponse(await run_in_threadpool(fleet, base or ""))

    views: dict[str, _View] = {
        "/conversations": listing,
        "/memory": memory,
        "/stats": stats,
        "/agents": lambda _query, base: agents(base),
        "/doctor": lambda _query, base: doctor(version, base),
    }

    async def conversation(request: Request) -> Response:
        name = request.path_params["conversation"]
        page = request.query_params.get("page", "1")
        base = request.scope.get(BASE, "")
        try:
            pieces = await run_in_threadpool(reading, name, page, base)
        except DejavuError as error:
            return _refusal(error, base)
        return StreamingResponse(pieces, media_type="text/html")

    async def at_turn(request: Request) -> Response:
        name, turn = request.path_params["conversation"], request.query_params.get("turn", "")
        return await _page(moment, name, turn, base=request.scope.get(BASE, ""))

    return [
        Route("/", root, methods=["GET"]),
        *(Route(path, _view(view), methods=["GET"]) for path, view in views.items()),
        Route("/conversations/{conversation}", conversation, methods=["GET"]),
        Route("/conversations/{conversation}/at", at_turn, methods=["GET"]),
        Route("/conversations/{conversation}/export", _export, methods=["GET"]),
        Route(ASSETS + "{name}", _asset, methods=["GET"]),
    ]


def _view(make: _View) -> Callable[[Request], Awaitable[Response]]:
    """The route of a view that is made from its query and the address that its links begin with."""

    async def view(request: Request) -> Response:
        query = {name: values[0] for name, values in parse_qs(request.url.query).items()}
        return await _page(make, query, base=request.scope.get(BASE, ""))

    return view


async def _page(make: Callable[..., str], *arguments: object, base: str) -> Response:
    """A page made next to the events; what cannot be is said in a sentence."""
    try:
        return HTMLResponse(await run_in_threadpool(make, *arguments, base))
    except DejavuError as error:
        return _refusal(error, base)


def _refusal(error: DejavuError, base: str) -> Response:
    missing = isinstance(error, NotFoundError)
    title = "Not here" if missing else "Not possible"
    main = tag("main", tag("h1", title), problem(str(error)), id="main")
    page = frame(title, main, base=base, here="none", script="reading.js")
    return HTMLResponse(page, 404 if missing else 400)


async def _export(request: Request) -> Response:
    """One conversation as a file to be saved, never as a page of ours."""
    base, name = request.scope.get(BASE, ""), request.path_params["conversation"]
    form = request.query_params.get("format", Form.HTML)
    try:
        file, data = await run_in_threadpool(exported, name, form)
    except DejavuError as error:
        return _refusal(error, base)
    headers = {"content-disposition": f'attachment; filename="{file}"'}
    return Response(data, media_type="application/octet-stream", headers=headers)


async def _asset(request: Request) -> Response:
    name = request.path_params["name"]
    text = asset(name)
    if text is None:
        return JsonAnswer({"error": "there is no such file"}, 404)
    return Response(text, media_type=ASSET_TYPES[name.rpartition(".")[2]])
