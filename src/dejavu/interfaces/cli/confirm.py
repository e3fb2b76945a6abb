"""`dejavu confirm ID`: a memory proved right."""

from typing import Annotated

import typer

from dejavu.archive.access import open_archive
from dejavu.recall import Memory

from .options import Json
from .output import paint, print_json
from .remember import plain


def command(
    memory: Annotated[str, typer.Argument(help="The memory's id, or the beginning of it.")],
    json: Json = False,
) -> None:
    """Say that a memory proved right: confidence +0.1."""
    with open_archive(write=True) as archive:
        held = Memory(archive)
        found = held.get(memory)
        held.confirm(found)
        now = held.get(found.id)
    if json:
        print_json(plain(now))
    else:
        print(f"{paint(now.id, '2')} confidence {found.confidence} -> {now.confidence}")
