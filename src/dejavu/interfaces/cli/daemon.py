"""`dejavu daemon`: run the background process in the foreground; hooks start it by themselves.

Where one is running already, a second one exits with 0.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from dejavu.model import ArchiveError, NotFoundError
from dejavu.model.plural import counted
from dejavu.services.daemon import instance_lock

from ..command_line.output import print_json, print_note
from ..command_line.parameters import Option
from ..command_line.stdio import ExitError

if TYPE_CHECKING:
    from ..command_line.parameters import Json


def command(
    idle: Annotated[
        float, Option("--idle", min=0, help="Exit after this many idle seconds.")
    ] = instance_lock.IDLE,
    stop: Annotated[bool, Option("--stop", help="Stop the running daemon.")] = False,
    status: Annotated[bool, Option("--status", help="Show whether it is running.")] = False,
    json: Json = False,
) -> None:
    """Run the background process for hooks."""
    if stop:
        if not instance_lock.stop():
            print_note("the daemon is still busy; try again")
            raise ExitError(1)
    elif status:
        pid, waiting = instance_lock.running(), _without_vectors()
        if json:
            print_json({"running": pid is not None, "pid": pid, "without_vectors": waiting})
            return
        print("no daemon is running" if pid is None else f"the daemon is running: process {pid}")
        if waiting:
            print(f"{counted(waiting, 'conversation')} still without sentence vectors")
    elif not instance_lock.run(idle=idle):
        print_note(f"a daemon is already running: process {instance_lock.running()}")


def _without_vectors() -> int | None:
    """How many conversations have no sentence vectors yet; None where none are made."""
    from dejavu.archive.access import open_archive
    from dejavu.recall.history.embeddings import pending

    try:
        with open_archive() as archive:
            return pending(archive)
    except (NotFoundError, ArchiveError):
        return None
