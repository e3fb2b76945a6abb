"""`dejavu serve`: the fleet and the archive over HTTP, as JSON, events and one live page.

Listens on a Unix socket of the owner's, or with --port on 127.0.0.1 behind a bearer token. Needs
the extra `http`. Prints one line that says where, then serves until it is interrupted.
"""

import sys
from pathlib import Path
from typing import Annotated

import typer

from dejavu.model import CaptureError, DejavuError

from .app import our_version
from .options import Json
from .output import print_json


def command(
    socket: Annotated[
        Path | None, typer.Option("--socket", help="The Unix socket's place (default: ours).")
    ] = None,
    port: Annotated[
        int | None,
        typer.Option(
            "--port", min=0, max=65535, help="Listen on 127.0.0.1 instead; 0 is a free port."
        ),
    ] = None,
    token_file: Annotated[
        Path | None, typer.Option("--token-file", help="Where the bearer token is (default: ours).")
    ] = None,
    json: Json = False,
) -> None:
    """Serve running sessions and the archive over HTTP."""
    if socket is not None and port is not None:
        raise typer.BadParameter("--socket and --port exclude each other")
    if token_file is not None and port is None:
        raise typer.BadParameter("--token-file belongs to --port; a Unix socket needs no token")
    try:
        from dejavu.services.http_server import on_port

        from ..web import server
    except ModuleNotFoundError as error:
        if error.name is not None and error.name.startswith("dejavu"):
            raise
        raise DejavuError(
            f"`dejavu serve` needs the extra http ({error.name} is missing): "
            "pip install 'dejavu-capture[http]'"
        ) from error
    place, token = None, None
    told: dict[str, str]
    try:
        if port is None:
            place = (socket or server.default_socket()).absolute()
            listener = server.on_socket(place)
            told = {"socket": str(place)}
            line = f"serving on {place}"
        else:
            kept = token_file or server.token_file()
            token = server.bearer_token(kept)
            listener = on_port(port)
            url = f"http://127.0.0.1:{listener.getsockname()[1]}/"
            told = {"url": url, "token_file": str(kept)}
            # The page takes the token from behind the #, which a browser never sends.
            line = f"serving on {url}" + (f"#token={token}" if sys.stdout.isatty() else "")
    except OSError as error:
        raise CaptureError(f"cannot listen: {error.strerror or error}") from error
    if json:
        print_json(told)
    else:
        print(line, flush=True)
    server.run(listener, place, version=our_version(), token=token)
