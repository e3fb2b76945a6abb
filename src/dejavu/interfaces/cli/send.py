"""`dejavu send SESSION TEXT`: type into a wrapped agent, as its user would.

Text goes in as one bracketed paste where the agent has asked for those, then Enter. Refused while
the agent asks a person something, unless --force; then the text goes in as single keys, and an
empty text is Enter alone, which takes what a dialog offers first. Exit codes: 0 typed, 1 refused,
3 no such session, or one that has ended.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

from dejavu.sessions.send_input import type_into
from dejavu.sessions.session_store import find

from .options import SessionId

if TYPE_CHECKING:
    import typer


def command(
    session: SessionId,
    text: Annotated[list[str], typer.Argument(help="The text to type; - reads stdin.")],
    enter: Annotated[
        bool, typer.Option("--enter/--no-enter", help="Press Enter afterwards.")
    ] = True,
    force: Annotated[
        bool, typer.Option("--force", help="Type even while the agent asks a person.")
    ] = False,
) -> None:
    """Type text into a wrapped agent."""
    words = sys.stdin.read() if text == ["-"] else " ".join(text)
    type_into(find(session), words, enter=enter, force=force)
