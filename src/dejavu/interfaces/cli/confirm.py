"""`dejavu memory confirm ID`: raise a memory's confidence."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dejavu.archive.access import open_archive
from dejavu.recall import Memory

from ..command_line.output import print_json, style
from .remember import to_dict

if TYPE_CHECKING:
    from ..command_line.options import Json, MemoryId


def command(
    memory_id: MemoryId,
    json: Json = False,
) -> None:
    """Mark a memory as right.

    Its confidence rises by 0.1.
    """
    with open_archive(write=True) as archive:
        memory = Memory(archive)
        before = memory.get(memory_id)
        memory.confirm(before)
        after = memory.get(before.id)
    if json:
        print_json(to_dict(after))
    else:
        print(f"{style(after.id, '2')} confidence {before.confidence} -> {after.confidence}")
