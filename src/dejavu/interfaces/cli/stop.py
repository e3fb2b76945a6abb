"""`dejavu stop SESSION`: end a wrapped agent, as closing its terminal would.

Exit codes: 0 ended, 1 it runs on, 3 no such session.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from dejavu.sessions.session_store import find
from dejavu.sessions.stop_session import stop

if TYPE_CHECKING:
    import typer

    from .options import SessionId


def command(
    session: SessionId,
    timeout: Annotated[
        float, typer.Option("--timeout", min=0.0, help="Seconds it is given to end.")
    ] = 10.0,
    kill: Annotated[
        bool, typer.Option("--kill", help="Kill an agent that does not end in time.")
    ] = False,
) -> None:
    """End a wrapped agent."""
    stop(find(session), timeout=timeout, kill=kill)
