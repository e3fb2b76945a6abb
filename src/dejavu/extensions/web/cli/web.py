"""`dejavu web`: serve the page on this machine and open it in a browser, until interrupted."""

from __future__ import annotations

from typing import Annotated

from dejavu.interfaces.command_line.parameters import Option

from .serve import command as serve


def command(
    port: Annotated[
        int, Option("--port", min=0, max=65535, help="The port; 0 is any free one.")
    ] = 0,
    browser: Annotated[
        bool, Option("--open/--no-open", help="Open the page in a browser.")
    ] = True,
) -> None:  # fmt: skip
    """Open the web page of sessions and conversations.

    The page is served on 127.0.0.1 behind a token, until you press Ctrl-C.
    """
    serve(port=port, browser=browser)
