"""`dejavu forget ID ...`: delete memories for good: text, vector and index.

The audit log keeps their ids alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from dejavu.archive.access import open_archive
from dejavu.recall import Memory

from .output import print_json

if TYPE_CHECKING:
    import typer

    from . import complete
    from .options import Json


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
