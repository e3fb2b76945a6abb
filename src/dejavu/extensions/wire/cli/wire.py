"""`dejavu wire AGENT ...`: run an agent with its model traffic through a recording proxy.

Options before AGENT are ours, all words after it the agent's. The agent runs inside `dejavu-run`,
with its exit code. Needs the extra `wire`.
"""

from __future__ import annotations

from typing import Annotated

from dejavu.interfaces.command_line.parameters import Argument, Option, ToWorkspace
from dejavu.interfaces.command_line.stdio import ExitError

from .. import extra


def command(
    agent: Annotated[list[str], Argument(metavar="AGENT [ARGS ...]", help="The command to run.")],
    upstream: Annotated[
        str | None,
        Option("--upstream", help="The base URL to forward to (default: the agent's own)."),
    ] = None,
    workspace: ToWorkspace = None,
) -> None:
    """Run an agent and record its requests to the model."""
    extra.require("wire")
    from dejavu.interfaces.run import leave, run  # it is `dejavu-run` all the same

    from ..launch import wire  # not without h11

    raise ExitError(leave(wire(agent, run, server=upstream, workspace=workspace)))
