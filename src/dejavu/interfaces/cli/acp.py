"""`dejavu acp --tap -- COMMAND`: stand between an editor and an agent, and keep what they say.

`dejavu acp --tap` as an editor calls it never comes here: it goes to `interfaces.acp_tap` at once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from dejavu.model import InvalidValueError

from .. import acp_tap
from .options import FromInstance, ToWorkspace

if TYPE_CHECKING:
    import typer


def command(
    agent: Annotated[
        list[str],
        typer.Argument(metavar="COMMAND [ARGS ...]", help="The agent's command."),
    ],
    tap: Annotated[
        bool, typer.Option("--tap", help="Run COMMAND, which speaks ACP, and keep what passes.")
    ] = False,
    name: Annotated[
        str,
        typer.Option("--agent", metavar="A", help="Which agent it is (default: by its command)."),
    ] = "",
    workspace: ToWorkspace = None,
    instance: FromInstance = None,
) -> None:
    """Tap the Agent Client Protocol between editor and agent."""
    if not tap:
        raise InvalidValueError("say --tap, and the agent's command behind --")
    acp_tap.main(acp_tap.Line(agent, name, workspace or "", instance or ""))
