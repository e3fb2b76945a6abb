"""`dejavu hook capture|inject|guard|assist`: for agents; `cli.main` calls `interfaces.hooks` before this.

This module is loaded for the help text only.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from ..hooks import main

if TYPE_CHECKING:
    import typer


def command(
    action: Annotated[str, typer.Argument(help="capture: store; inject: answer; guard, assist.")],
    agent: Annotated[str, typer.Option("--agent", help="The agent that calls.")] = "",
) -> None:
    """Called by agents: capture, answer or guard."""
    main([action, *(("--agent", agent) if agent else ())])
