"""`dejavu wait SESSION --for idle,blocked`: sleep until a session gets there.

Exit codes: 0 reached, 1 the session ended in another state, 3 no such session, 124 timed out
(as `timeout` of coreutils says it).
"""

import time
from typing import Annotated

import typer

from ..sessions import find
from .options import Json
from .output import note, print_json
from .status import plain

_STATES = {"working", "blocked", "idle", "error", "exited", "unknown"}
_POLL = 0.05


def command(
    session: Annotated[str, typer.Argument(help="A session's id, its beginning, or its name.")],
    states: Annotated[
        str, typer.Option("--for", help="States to wait for, with commas between.")
    ] = "idle",
    timeout: Annotated[
        float | None, typer.Option("--timeout", min=0, help="Give up after so many seconds.")
    ] = None,
    json: Json = False,
) -> None:
    """Wait until a session reaches a state."""
    wanted = {state.strip() for state in states.split(",") if state.strip()}
    if not wanted or wanted - _STATES:
        raise typer.BadParameter(f"--for takes {', '.join(sorted(_STATES))}")
    end = None if timeout is None else time.monotonic() + timeout
    while True:
        seen = find(session)
        reached = seen.state in wanted
        if reached or not seen.live or (end is not None and time.monotonic() >= end):
            break
        time.sleep(_POLL)
    if json:
        print_json(plain(seen))
    if reached:
        return
    if seen.live:
        note(f"dejavu: {seen.session.id} is still {seen.state} after {timeout:g} s")
        raise typer.Exit(124)
    note(f"dejavu: {seen.session.id} has ended")
    raise typer.Exit(1)
