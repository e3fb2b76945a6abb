"""`dejavu hook capture|inject|guard|assist`: for agents; `cli.main` calls `interfaces.hooks` before this.

This module is loaded for the help text only.
"""

from __future__ import annotations

from typing import Annotated

from ..command_line.parameters import Argument, Option
from ..hooks import main


def command(
    action: Annotated[str, Argument(help="capture, inject, guard or assist.")],
    agent: Annotated[str, Option("--agent", help="The agent that calls.")] = "",
) -> None:
    """Called by agents: capture, inject, guard or assist."""
    main([action, *(("--agent", agent) if agent else ())])
