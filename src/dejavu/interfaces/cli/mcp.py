"""`dejavu mcp`: memory and history as tools for agents, over stdio.

Tested in: tests/interfaces/mcp/test_server.py
"""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

from ..command_line.parameters import Option


class Profile(StrEnum):
    """Which set of tools is served; their names are in `interfaces.mcp.server.PROFILES`."""

    DEFAULT = "default"
    FULL = "full"
    EVENTS = "events"


def command(
    workspace: Annotated[
        str | None,
        Option("--workspace", "-w", help="The project to answer for (default: this folder)."),
    ] = None,
    profile: Annotated[
        Profile,
        Option("--profile", help="full: more tools; events: searchMemory and others."),
    ] = Profile.DEFAULT,
) -> None:
    """Serve MCP tools on stdin and stdout."""
    from ..mcp import serve

    serve(workspace, profile)
