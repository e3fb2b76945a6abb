"""`dejavu screen SESSION`: print what a running session shows, secrets replaced.

Exit codes: 0 printed, 1 it has no screen, 3 no such session, or it has ended.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from dejavu.export.replay.ansi import styled, text_rows
from dejavu.screen import Terminal
from dejavu.sessions.observer.screen_server import look
from dejavu.sessions.session_store import find

from ..command_line.output import print_json
from ..command_line.parameters import Option

if TYPE_CHECKING:
    from ..command_line.parameters import Json, SessionId

_FIELDS = ("columns", "lines", "rows", "title", "alternate", "cursor", "state", "rule")


def command(
    session: SessionId,
    ansi: Annotated[bool, Option("--ansi", help="Keep colours and styles.")] = False,
    json: Json = False,
) -> None:
    """Print the screen of a running session."""
    shown = look(find(session).folder)
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
