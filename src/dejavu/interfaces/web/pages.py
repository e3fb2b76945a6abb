"""The routes of the pages, and of the files that they are made of.

Pages stand behind `auth.Guard` like everything else; over TCP the root without the page's key is the
door, which holds nothing of anybody.
"""

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Route

from .auth import ASSETS, BASE
from .fleet_view import fleet
from .frame import ASSET_TYPES, asset, door


def routes(*, token: bool) -> list[Route]:
    """Every page; `token`: whether a browser has to come through the door."""

    async def root(request: Request) -> Response:
        base = request.scope.get(BASE)
        if token and base is None:
            return HTMLResponse(door())
        return HTMLResponse(await run_in_threadpool(fleet, base or ""))

    return [
        Route("/", root, methods=["GET"]),
        Route(ASSETS + "{name}", _asset, methods=["GET"]),
    ]


async def _asset(request: Request) -> Response:
    name = request.path_params["name"]
    text = asset(name)
    if text is None:
        return JSONResponse({"error": "there is no such file"}, 404)
    return Response(text, media_type=ASSET_TYPES[name.rpartition(".")[2]])
