"""`dejavu daemon`: the one background process, in the foreground; hooks start it by themselves.

A second one says so and leaves, with exit code 0: what is wanted is there.
"""

from typing import Annotated

import typer

from dejavu.services.daemon import instance_lock as single

from .options import Json
from .output import note, print_json


def command(
    idle: Annotated[
        float, typer.Option("--idle", min=0, help="Leave after so many seconds without work.")
    ] = single.IDLE,
    stop: Annotated[bool, typer.Option("--stop", help="Make the daemon leave.")] = False,
    status: Annotated[bool, typer.Option("--status", help="Say whether it runs.")] = False,
    json: Json = False,
) -> None:
    """Run the background process that archives what hooks tell."""
    if stop:
        if not single.stop():
            note("the daemon is still at work; try again")
            raise typer.Exit(1)
    elif status:
        pid = single.running()
        if json:
            print_json({"running": pid is not None, "pid": pid})
        else:
            print("no daemon runs" if pid is None else f"the daemon runs: process {pid}")
    elif not single.run(idle=idle):
        note(f"a daemon runs already: process {single.running()}")
