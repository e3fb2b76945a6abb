"""`dejavu wire AGENT ...`: run an agent with its model traffic through a recording proxy.

Options before AGENT are ours, all words after it the agent's. The agent runs inside `dejavu-run`,
with its exit code. Needs the extra `wire`.
"""

from typing import Annotated

import typer

from dejavu.services.wire import extra

from .options import ToWorkspace


def command(
    agent: Annotated[
        list[str], typer.Argument(metavar="AGENT [ARGS ...]", help="The command to run.")
    ],
    upstream: Annotated[
        str | None,
        typer.Option("--upstream", help="The base URL to forward to (default: the agent's own)."),
    ] = None,
    workspace: ToWorkspace = None,
) -> None:
    """Run an agent and record its requests to the model."""
    extra.require("wire")
    from dejavu.services.wire.launch import wire  # not without h11

    from ..run import run  # it is `dejavu-run` all the same

    raise typer.Exit(wire(agent, run, server=upstream, workspace=workspace))
