"""`dejavu forget ID`: remove a memory for good."""

from typing import Annotated

import typer

from dejavu.archive.access import open_archive
from dejavu.recall import Memory

from .options import Json
from .output import print_json


def command(
    memory: Annotated[list[str], typer.Argument(help="Ids, or beginnings of them.")],
    json: Json = False,
) -> None:
    """Remove memories for good: text, vector and index; the audit keeps the ids alone."""
    with open_archive(write=True) as archive:
        held = Memory(archive)
        found = [held.get(one).id for one in memory]  # all are known before one is gone
        for one in found:
            held.forget(one)
    if json:
        print_json({"forgotten": found})
    else:
        for one in found:
            print(f"{one} forgotten")
