"""`dejavu screen SESSION`: print what a running session shows, secrets replaced.

Exit codes: 0 printed, 1 it has no screen, 3 no such session, or it has ended.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Annotated, Any

from dejavu.export.replay.ansi import styled, text_rows
from dejavu.model import NotFoundError
from dejavu.screen import Terminal
from dejavu.sessions.observer.screen_server import NAME, look
from dejavu.sessions.session_store import find, with_liveness

from ..command_line.output import print_json
from ..command_line.parameters import Option

if TYPE_CHECKING:
    from dejavu.sessions.session_store import SessionView

    from ..command_line.parameters import Json, SessionId

_DRAWN = 10.0  # seconds until the observer of a session that has just started shows its screen
_AGAIN = 0.1  # seconds between two looks
_FIELDS = ("columns", "lines", "rows", "title", "alternate", "cursor", "state", "rule")


def command(
    session: SessionId,
    ansi: Annotated[bool, Option("--ansi", help="Keep colours and styles.")] = False,
    json: Json = False,
) -> None:
    """Print the screen of a running session."""
    shown = _look(find(session))
    if json:
        print_json({name: shown.get(name) for name in _FIELDS})
        return
    terminal = Terminal(shown["columns"], shown["lines"], history=0)
    terminal.feed(str(shown["drawing"]).encode("utf-8", "replace"))
    snapshot = terminal.snapshot()
    rows = styled(snapshot, snapshot.columns) if ansi else text_rows(snapshot)
    while rows and not rows[-1].strip():
        rows.pop()
    print("\n".join(rows))


def _look(view: SessionView) -> dict[str, Any]:
    """The screen of a session; waits a little for one that has just started.

    Raises:
        NotFoundError: it has ended, or its observer does not answer.
        CaptureError: it has no screen to show.
    """
    until = time.monotonic() + _DRAWN
    while with_liveness(view).live:
        try:
            return look(view.folder)
        except NotFoundError:
            if (view.folder / NAME).exists() or time.monotonic() > until:
                raise
        time.sleep(_AGAIN)
    raise NotFoundError(
        f"{view.label} has ended, and its screen with it; `dejavu list` has what it said"
    )
