"""`dejavu serve`: sessions and the archive over HTTP, as JSON, events and one live page.

Listens on a Unix socket of the owner's, or with --port on 127.0.0.1 behind a bearer token. Needs
the extra `http`. Prints one line with the address, then serves until it is interrupted.
"""

from __future__ import annotations

import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

from dejavu.config.extras import extra_hint
from dejavu.interfaces.command_line.output import print_json
from dejavu.interfaces.command_line.parameters import Option
from dejavu.interfaces.command_line.version import version
from dejavu.model import CaptureError, DejavuError, InvalidValueError
from dejavu.sessions.session_store import find

if TYPE_CHECKING:
    import socket as sockets

    from dejavu.interfaces.command_line.parameters import Json


def command(
    socket: Annotated[
        Path | None,
        Option("--socket", help="The Unix socket (default: in the state folder)."),
    ] = None,
    port: Annotated[
        int | None,
        Option("--port", min=0, max=65535, help="Listen on 127.0.0.1; 0 is any free port."),
    ] = None,
    token_file: Annotated[
        Path | None,
        Option("--token-file", help="File of the bearer token (default: in the state folder)."),
    ] = None,
    agentapi: Annotated[
        str | None,
        Option(
            "--agentapi", metavar="SESSION", help="Also answer agentapi's paths for this session."
        ),
    ] = None,
    browser: Annotated[
        bool, Option("--open", help="Open the page in a browser (with a port: any free one).")
    ] = False,
    json: Json = False,
) -> None:
    """Serve sessions and the archive over HTTP."""
    if browser and port is None and socket is None:
        port = 0
    _check(socket, port, token_file, browser=browser)
    with _needs_http():
        from .. import server
    session = None if agentapi is None else find(agentapi).session.id
    door = _listen(socket, port, token_file)
    if json:
        print_json(door.address)
    else:
        print(door.sentence, flush=True)
    server.run(
        door.listener, door.path, version=version(), token=door.token, token_path=door.token_path,
        agentapi=session, browser=browser,
    )  # fmt: skip


class _Door(NamedTuple):
    """Where the server listens: `path` of a socket, or a port with its token; and how that is said."""

    listener: sockets.socket
    address: dict[str, str]
    sentence: str
    path: Path | None = None
    token: str | None = None
    token_path: Path | None = None


def _listen(socket: Path | None, port: int | None, token_file: Path | None) -> _Door:
    """Listen on a port, or without one on a Unix socket.

    Raises:
        CaptureError: that is not possible.
    """
    from dejavu.services.bearer_token import bearer_token
    from dejavu.services.http_server import on_port

    from .. import server

    path = None if port is not None else (socket or server.default_socket()).absolute()
    try:
        if path is not None:
            listener = server.on_socket(path)
            return _Door(listener, {"socket": str(path)}, f"serving on {path}", path)
        token_path = token_file or server.token_file()
        token = bearer_token(token_path)
        listener = on_port(port or 0)
    except OSError as error:
        where = path or (f"port {port}" if port else "a port")
        raise CaptureError(f"cannot listen on {where}: {error.strerror or error}") from error
    url = f"http://127.0.0.1:{listener.getsockname()[1]}/"
    # The page reads the token behind the #, which a browser never sends.
    shown = (
        f"#token={token}"
        if sys.stdout.isatty()
        else (f" (append #token= and the contents of {token_path})")
    )
    address = {"url": url, "token_file": str(token_path)}
    return _Door(listener, address, f"serving on {url}{shown}", None, token, token_path)


@contextmanager
def _needs_http() -> Generator[None]:
    """Say of a package that is missing in the block which extra brings it."""
    try:
        yield
    except ModuleNotFoundError as error:
        if error.name is not None and error.name.startswith("dejavu"):
            raise
        raise DejavuError(
            f"the page needs the extra http ({error.name} is missing): {extra_hint('http')}"
        ) from error


def _check(
    socket: Path | None, port: int | None, token_file: Path | None, *, browser: bool
) -> None:
    """Refuse options that exclude each other.

    Raises:
        InvalidValueError: some do, or there can be no such socket.
    """
    if browser and socket is not None:
        raise InvalidValueError("--open needs a port: browsers open no Unix socket")
    if socket is not None and port is not None:
        raise InvalidValueError("choose --socket or --port")
    if socket is not None and not socket.absolute().parent.is_dir():
        raise InvalidValueError(f"--socket: {socket.absolute().parent}: no such folder")
    if token_file is not None and port is None:
        raise InvalidValueError("--token-file belongs to --port; a Unix socket needs no token")
