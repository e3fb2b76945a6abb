"""`dejavu attach SESSION`: a session's screen and keyboard in this terminal, until it is left.

Exit codes: 0 left, or the agent's own where it ended meanwhile; 1 no terminal, 3 no such session.

Tested in: tests/sessions/test_attach.py
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dejavu.sessions.attach import attach
from dejavu.sessions.session_store import find, with_liveness

from ..command_line.output import print_note
from ..command_line.stdio import ExitError

if TYPE_CHECKING:
    from ..command_line.parameters import SessionId


def command(session: SessionId) -> None:
    """Show a session in this terminal, and type to it.

    Ctrl-Backslash leaves it running. Its window takes this terminal's size, unless it was started
    in another terminal.
    """
    view = find(session)
    name = view.session.name or view.session.id
    status = attach(view)
    if status is not None:
        print_note(f"{name} has ended")
        raise ExitError(status)
    if with_liveness(view).live:
        print_note(f"left {name}, which runs on; `dejavu attach {name}` comes back")
    else:
        print_note(f"{name} is gone: its wrapper was ended")
