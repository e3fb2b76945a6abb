"""`dejavu memory forget ID ...`: delete memories for good: text, vector and index.

The audit log keeps their ids alone. What they had superseded holds again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from dejavu.archive import Archive
from dejavu.archive.access import open_archive
from dejavu.archive.maintenance.old_copies import clean_each_copy
from dejavu.config.paths import archive_location
from dejavu.recall import Memory
from dejavu.recall.injection_log import WaitingNotes, waiting_memories

from ..command_line.output import one_line, print_json, print_left_behind
from ..command_line.parameters import Argument

if TYPE_CHECKING:
    from ..command_line.parameters import Json


def command(
    memory_ids: Annotated[
        list[str],
        Argument(metavar="ID", help="Ids or unique prefixes.", complete="memories"),
    ],
    json: Json = False,
) -> None:
    """Delete memories for good."""
    waiting, memory_ids = _forget_waiting(memory_ids)
    if waiting and not memory_ids:
        _print_forgotten(waiting, as_json=json)
        return
    with open_archive(write=True) as archive:
        memory = Memory(archive)
        identities = [memory.get(prefix).id for prefix in memory_ids]  # all, before one is deleted
        superseded = {one.id for one in memory.list() if one.superseded_by is not None}
        for identity in identities:
            memory.forget(identity)
        revived = [one for one in memory.list(superseded=False) if one.id in superseded]
        left = clean_each_copy(archive, lambda copy: _forget(copy, identities))
    print_left_behind(left)
    _print_forgotten([*waiting, *identities], as_json=json)
    if not json:
        for one in revived:
            print(f"{one.id} holds again: {one_line(one.text, 200)}")


def _print_forgotten(identities: list[str], *, as_json: bool) -> None:
    if as_json:
        print_json({"forgotten": identities})
    else:
        for identity in identities:
            print(f"{identity} forgotten")


def _forget_waiting(memory_ids: list[str]) -> tuple[list[str], list[str]]:
    """Delete those that wait on this machine, by their whole ids; return them, and the others."""
    name = archive_location()
    notes = {note.identity: note for note in waiting_memories(name)}
    for identity in memory_ids:
        if identity in notes:
            WaitingNotes(name).discard(notes[identity])
    return [one for one in memory_ids if one in notes], [
        one for one in memory_ids if one not in notes
    ]


def _forget(copy: Archive, identities: list[str]) -> bool:
    """Forget them in an older copy of the archive."""
    memory = Memory(copy)
    forgotten = [memory.forget(identity) for identity in identities]
    return any(forgotten)
