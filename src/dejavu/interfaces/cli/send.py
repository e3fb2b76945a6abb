"""`dejavu send SESSION TEXT`: type into a wrapped agent, as its user would; `--key` presses keys.

Text goes in as one bracketed paste where the agent has asked for those, then Enter. Refused while
the agent asks a person something, or seems to, unless --force; then the text goes in as single keys,
and an empty text is Enter alone, which takes what a dialog offers first. Keys are pressed whatever
it asks. A text with control characters is refused. Exit codes: 0 typed, 1 refused, 3 no such
session, or one that has ended.
"""

from __future__ import annotations

import sys
from typing import Annotated

from dejavu.model import InvalidValueError
from dejavu.sessions.send_input import press, type_into
from dejavu.sessions.session_store import find

from ..command_line.options import SessionId
from ..command_line.parameters import Argument, Option

_PAUSE = 0.02  # seconds between keys: an Escape right before another would be Alt with it


def command(
    session: SessionId,
    text: Annotated[
        list[str] | None, Argument(help="The text to type; - reads stdin.")
    ] = None,
    enter: Annotated[
        bool, Option("--enter/--no-enter", help="Press Enter afterwards.")
    ] = True,
    force: Annotated[
        bool, Option("--force", help="Type even while the agent asks a person.")
    ] = False,
    key: Annotated[
        list[str] | None,
        Option(
            "--key", "-k", metavar="KEY",
            help="Press a key instead, whatever it asks: Escape, Up, Enter, C-c, F5; repeatable.",
        ),
    ] = None,
    interrupt: Annotated[
        bool, Option("--interrupt", help="Press the key that stops what the agent is doing.")
    ] = False,
) -> None:  # fmt: skip
    """Type text into a running agent."""
    if interrupt:
        if text or key:
            raise InvalidValueError("--interrupt goes with neither a text nor --key")
        from ..command_line.interrupt import interrupt as press_interrupt

        press_interrupt(session)
        return
    if text and key:
        raise InvalidValueError("give a text to type or keys to press by --key, not both")
    if not text and not key:
        raise InvalidValueError("give a text to type, or keys to press by --key")
    if key:
        press(find(session), key, pause=_PAUSE)
        return
    words = sys.stdin.read() if text == ["-"] else " ".join(text or ())
    type_into(find(session), words, enter=enter, force=force)
