"""`dejavu stop SESSION`: end a wrapped agent and all processes of its terminal's session.

Exit codes: 0 all have ended, 1 some run on, named on stderr; 3 no such session.

Tested in: tests/sessions/test_stop_session.py
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from dejavu.sessions.session_store import find
from dejavu.sessions.stop_session import stop

from ..command_line.parameters import Option

if TYPE_CHECKING:
    from ..command_line.parameters import SessionId


def command(
    session: SessionId,
    timeout: Annotated[
        float, Option("--timeout", min=0.0, help="Seconds to wait for it to end.")
    ] = 10.0,
    kill: Annotated[bool, Option("--kill", help="Kill what does not end in time.")] = False,
) -> None:
    """End a running agent and its processes."""
    stop(find(session), timeout=timeout, kill=kill)
