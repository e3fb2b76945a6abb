"""`dejavu mcp`: memory and history as tools for agents, over stdio."""

from typing import Annotated

import typer

from dejavu.model import ConfigError


def command(
    workspace: Annotated[
        str | None,
        typer.Option("--workspace", "-w", help="Answer from here unless asked (default: cwd)."),
    ] = None,
) -> None:
    """Serve the Model Context Protocol on stdin and stdout until it is closed."""
    from ..mcp import serve

    try:
        serve(workspace)
    except ImportError as error:
        raise ConfigError(
            "`dejavu mcp` needs the mcp extra: pip install 'dejavu-capture[mcp]'"
        ) from error
