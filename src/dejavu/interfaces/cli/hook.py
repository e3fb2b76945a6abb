"""`dejavu hook capture|inject`: for agents, not for people; `surfaces.hooks` answers before this.

This module is loaded for the help text only.
"""

from typing import Annotated

import typer

from ..hooks import main


def command(
    what: Annotated[str, typer.Argument(help="capture: keep the payload; inject: answer it.")],
    agent: Annotated[str, typer.Option("--agent", help="Whose hook it is.")] = "claude",
) -> None:
    """What agents call at points of their life: JSON on stdin, always exit 0."""
    main([what, "--agent", agent])
