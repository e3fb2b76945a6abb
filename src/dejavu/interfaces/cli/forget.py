"""`dejavu memory forget ID ...`: delete memories for good: text, vector and index.

The audit log keeps their ids alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from dejavu.archive import Archive
from dejavu.archive.access import open_archive
from dejavu.archive.maintenance.old_copies import clean_each_copy
from dejavu.recall import Memory

from ..command_line.output import print_json, print_left_behind
from ..command_line.parameters import Argument

if TYPE_CHECKING:
    from ..command_line.options import Json


def command(
    memory_ids: Annotated[
        list[str],
        Argument(metavar="ID", help="Ids or unique prefixes.", complete="memories"),
    ],
    json: Json = False,
) -> None:
    """Delete memories for good."""
    with open_archive(write=True) as archive:
        memory = Memory(archive)
        identities = [memory.get(prefix).id for prefix in memory_ids]  # all, before one is deleted
        for identity in identities:
            memory.forget(identity)
        left = clean_each_copy(archive.root, lambda copy: _forget(copy, identities))
    print_left_behind(left)
    if json:
        print_json({"forgotten": identities})
    else:
        for identity in identities:
            print(f"{identity} forgotten")


def _forget(copy: Archive, identities: list[str]) -> bool:
    """Forget them in an older copy of the archive."""
    memory = Memory(copy)
    forgotten = [memory.forget(identity) for identity in identities]
    return any(forgotten)
