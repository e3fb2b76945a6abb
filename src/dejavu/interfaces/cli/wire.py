"""`dejavu wire -- AGENT ...`: run an agent with its model traffic through a recording proxy.

Opt-in by being called. The agent runs inside `dejavu-run`, with its exit code. Needs the extra
`wire`.
"""

from typing import Annotated

import typer

from dejavu.services.wire import extra


def command(
    agent: Annotated[list[str], typer.Argument(metavar="AGENT [ARGS]...", help="What to run.")],
    upstream: Annotated[
        str | None,
        typer.Option("--upstream", help="The base URL to go on to (default: the agent's own)."),
    ] = None,
    workspace: Annotated[
        str | None, typer.Option("--workspace", help="The project it belongs to.")
    ] = None,
) -> None:
    """Run an agent and keep what passes between it and its model."""
    extra.require("wire")
    from dejavu.services.wire.launch import wire  # not without h11

    from ..run import run  # it is `dejavu-run` all the same

    raise typer.Exit(wire(agent, run, server=upstream, workspace=workspace))
