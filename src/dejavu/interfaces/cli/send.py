"""`dejavu send SESSION TEXT`: hand a text to a wrapped agent, and see it taken; `--key` presses keys.

Returns once the text was seen in the agent's text field, has left it by Enter, and was taken: by the
agent's state, its screen or its session file. With --json the receipt: `{"typed", "submitted",
"accepted", "reason"}`. Refused while the agent asks something, or seems to, and while a draft is
in its field: --wait waits until either is gone, --queue until the turn is over, --force types all
the same and insists on no receipt. An empty text is Enter alone. Keys are pressed whatever it asks.
A text with control characters is refused. Exit codes: 0 accepted (with --no-enter: typed), 1 not, 3
no such session, or one that has ended.
"""

from __future__ import annotations

import sys
from typing import Annotated

from dejavu.model import InvalidValueError
from dejavu.sessions.delivery import deliver, receipt_of
from dejavu.sessions.send_input import InputRefusedError, press
from dejavu.sessions.session_store import find

from ..command_line.output import print_json
from ..command_line.parameters import Argument, Json, Option, SessionId
from ..command_line.stdio import ExitError

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
        bool, Option("--force", help="Type even if the agent is asking you something.")
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
    wait: Annotated[
        bool, Option("--wait", help="Wait until no draft or dialog is in the way.")
    ] = False,
    queue: Annotated[
        bool, Option("--queue", help="Wait until the agent's turn is over.")
    ] = False,
    timeout: Annotated[
        float | None, Option("--timeout", min=0, help="Give up waiting after this many seconds.")
    ] = None,
    json: Json = False,
) -> None:  # fmt: skip
    """Send text to a running agent."""
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
    view = find(session)
    try:
        receipt = deliver(
            view, words, enter=enter, force=force, wait=wait, queue=queue, timeout=timeout
        )
    except InputRefusedError as error:
        if not json:
            raise
        print_json({"session": view.session.id, **receipt_of(error)._asdict()})
        raise ExitError(1) from None
    if json:
        print_json({"session": view.session.id, **receipt._asdict()})
