"""Bind and run `dejavu serve`: a Unix socket of its owner, or a port of 127.0.0.1 with a token.

It runs until it is interrupted or a signal ends it; the Unix socket is removed at the end.
"""

import signal
import socket
import sys
from pathlib import Path
from types import FrameType

import uvicorn

from dejavu.capsule.unix_socket import listen
from dejavu.config.paths import private_folder, state_home
from dejavu.services.http_server import CONNECTIONS, config

from .app import build
from .auth import CODE_SECONDS, Guard
from .door_file import DoorFile

_IDLE = 30  # seconds that a connection may take to send a request's head


def default_socket() -> Path:
    """Where the API listens unless told otherwise."""
    return state_home() / "serve.sock"


def token_file() -> Path:
    """Where the bearer token is kept."""
    return state_home() / "serve.token"


def on_socket(path: Path) -> socket.socket:
    """A listening Unix socket, 0600. Raises OSError."""
    private_folder(path.parent)
    return listen(path, backlog=CONNECTIONS)


def _end(_signal: int, _frame: FrameType | None) -> None:
    sys.exit(0)


def run(
    listener: socket.socket,
    socket_path: Path | None,
    *,
    version: str,
    token: str | None,
    token_path: Path | None = None,
    agentapi: str | None = None,
    browser: bool = False,
) -> None:
    """Serve until interrupted (KeyboardInterrupt) or ended by a signal (SystemExit).

    socket_path: the Unix socket's path, which is removed at the end; None over TCP. agentapi: the
    session that agentapi's paths are about. browser: show the page to this user, over TCP.
    """
    port = listener.getsockname()[1] if socket_path is None else None
    app = Guard(
        build(version=version, token=token is not None, agentapi=agentapi),
        port=port,
        token=token,
        token_file=str(token_path or ""),
    )
    door: DoorFile | None = None
    if browser and port is not None:
        door = DoorFile(port, f"http://127.0.0.1:{port}/#code={app.one_time_code()}")
        app.on_code = door.remove
        door.show(CODE_SECONDS)
    # uvicorn hands the signal that ended it on to the handler that was there before.
    signal.signal(signal.SIGTERM, _end)
    try:
        uvicorn.Server(config(app, idle=_IDLE)).run(sockets=[listener])
    finally:
        listener.close()
        if door is not None:
            door.remove()
        if socket_path is not None:
            socket_path.unlink(missing_ok=True)
