"""`dejavu interrupt SESSION`: press the key that stops what an agent is doing.

Prints the state it is in afterwards. Exit codes: 0 it rests, 1 it goes on or was not at work,
3 no such session.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dejavu.model import CaptureError
from dejavu.sessions import answer
from dejavu.sessions.session_store import find

if TYPE_CHECKING:
    from ..command_line.options import SessionId


def command(session: SessionId) -> None:
    """Interrupt what an agent is doing."""
    view = find(session)
    state = answer.interrupt(view)
    if state in ("working", "blocked"):
        raise CaptureError(
            f"{view.label} was told to stop, and is still {state}; `dejavu attach {view.label}` "
            f"shows it, `dejavu stop --kill {view.label}` ends it"
        )
    print(state)
