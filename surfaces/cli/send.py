"""`dejavu send SESSION TEXT`: type into a wrapped agent, as its user would.

Text goes in as one bracketed paste where the agent has asked for those (DEC private mode 2004), so
that line breaks in it do not submit half of it; then Enter. Refused while the agent asks a person
something: an answer typed blindly may allow what nobody meant to allow.
"""

import sys
import time
from typing import Annotated

import typer

from dejavu.capsule.control import send
from dejavu.record import CaptureError, NotFound

from ..sessions import find

_BEGIN, _END = b"\x1b[200~", b"\x1b[201~"
_SETTLE = 0.15
"""Seconds between a text and its Enter: some agents take an early Enter for a pasted newline."""


def pasted(text: str, *, bracketed: bool) -> bytes:
    """`text` as keys: control characters but newline and tab are left out, `ESC` above all.

    A text that holds the end mark of a paste could otherwise leave it and type anything.
    """
    clean = "".join(c for c in text if c in "\n\t" or (ord(c) >= 32 and not 127 <= ord(c) < 160))
    body = clean.replace("\n", "\r").encode("utf-8", "replace")
    return _BEGIN + body + _END if bracketed else body


def command(
    session: Annotated[str, typer.Argument(help="A session's id, its beginning, or its name.")],
    text: Annotated[list[str], typer.Argument(help="What to type; - is stdin.")],
    enter: Annotated[
        bool, typer.Option("--enter/--no-enter", help="Press Enter afterwards.")
    ] = True,
    force: Annotated[
        bool, typer.Option("--force", help="Also while the agent asks something.")
    ] = False,
) -> None:
    """Type a text into a wrapped agent."""
    seen = find(session)
    if not seen.live:
        raise NotFound(f"{seen.session.id} has ended; `dejavu status` shows what runs")
    if seen.state == "blocked" and not force:
        raise CaptureError(
            f"{seen.session.id} asks a person something; look at it, or use --force to type anyway"
        )
    words = sys.stdin.read() if text == ["-"] else " ".join(text)
    control = seen.folder / "control"
    try:
        send(control, pasted(words, bracketed=seen.status.bracketed_paste))
        if enter:
            time.sleep(_SETTLE)
            send(control, b"\r")
    except (FileNotFoundError, ConnectionError) as error:
        raise NotFound(f"{seen.session.id} takes no input ({error})") from error
