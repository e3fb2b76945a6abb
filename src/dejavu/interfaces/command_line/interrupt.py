"""`dejavu send SESSION --interrupt`: press the key that stops what an agent is doing.

Prints the state it is in afterwards. Exit codes: 0 it rests, 1 it continues or was not at work,
3 no such session.

Tested in: tests/interfaces/cli/test_send.py
"""

from dejavu.model import CaptureError
from dejavu.sessions import answer
from dejavu.sessions.session_store import find

from .output import print_note


def interrupt(session: str) -> None:
    """Interrupt what an agent is doing, and print its state.

    Raises:
        CaptureError: it did not stop.
    """
    view = find(session)
    state = answer.interrupt(view)
    if state in ("working", "blocked"):
        raise CaptureError(
            f"{view.label} was told to stop, and is still {state}; `dejavu attach {view.label}` "
            f"shows it, `dejavu stop --kill {view.label}` ends it"
        )
    print(state)
    if state == "unknown":
        print_note(
            f"key sent; there are no rules for {view.session.agent}, so look at `dejavu screen {view.label}`"
        )
