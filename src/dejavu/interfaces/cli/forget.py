"""`dejavu forget ID ...`: delete memories for good: text, vector and index.

The audit log keeps their ids alone.
"""

from typing import Annotated

import typer

from dejavu.archive.access import open_archive
from dejavu.recall import Memory

from . import complete
from .options import Json
from .output import print_json


def command(
    memory_ids: Annotated[
        list[str],
        typer.Argument(
            metavar="ID", help="Ids or unique prefixes.", autocompletion=complete.memories
        ),
    ],
    json: Json = False,
) -> None:
    """Delete memories for good."""
    with open_archive(write=True) as archive:
        memory = Memory(archive)
        identities = [memory.get(prefix).id for prefix in memory_ids]  # all, before one is deleted
        for identity in identities:
            memory.forget(identity)
    if json:
        print_json({"forgotten": identities})
    else:
        for identity in identities:
            print(f"{identity} forgotten")
