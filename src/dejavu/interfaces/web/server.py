"""Bind and run `dejavu serve`: a Unix socket of its owner, or a port of 127.0.0.1 with a token.

It runs until it is interrupted or a signal ends it; the Unix socket is removed at the end.
"""

import signal
import socket
import sys
import webbrowser
from pathlib import Path
from threading import Thread
from types import FrameType

import uvicorn

from dejavu.config.paths import private_folder, state_home
from dejavu.services.http_server import CONNECTIONS, config
from dejavu.sessions.local_socket import listen

from .app import build
from .auth import Guard

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


def _open_browser(address: str) -> None:
    """Show `address` once the listener is answered, beside the server; say so where nothing can.

    What stands behind the # is a code for one use: other users see the arguments of a browser.
    """

    def show() -> None:
        if not webbrowser.open(address):
            sentence = "no browser could be opened here; open the address above in one"
            print(sentence, file=sys.stderr, flush=True)

    Thread(target=show, daemon=True).start()


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
    if browser and port is not None:
        _open_browser(f"http://127.0.0.1:{port}/#code={app.one_time_code()}")
    # uvicorn hands the signal that ended it on to the handler that was there before.
    signal.signal(signal.SIGTERM, _end)
    try:
        uvicorn.Server(config(app, idle=_IDLE)).run(sockets=[listener])
    finally:
        listener.close()
        if socket_path is not None:
            socket_path.unlink(missing_ok=True)
