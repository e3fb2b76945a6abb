"""`dejavu star ID...`: star conversations, to find them again by `is:starred`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from dejavu.archive.access import open_archive, resolve
from dejavu.model.plural import counted
from dejavu.services import marks

from ..command_line.marked import print_marked
from ..command_line.output import print_note
from ..command_line.parameters import Option

if TYPE_CHECKING:
    from ..command_line.parameters import ConversationIds, Json


def command(
    ids: ConversationIds,
    remove: Annotated[bool, Option("--remove", help="Take the star away.")] = False,
    json: Json = False,
) -> None:
    """Star conversations, to find them again.

    `dejavu list --starred` lists them; `is:starred` in a search looks only in them.
    """
    with open_archive(write=True) as archive:
        names = [archive.summary(resolve(archive, one)).id for one in ids]
        changed = [name for name in names if marks.star(archive, name, starred=not remove)]
        summaries = [archive.summary(name) for name in names]
    print_marked(summaries, changed, as_json=json)
    if not json:
        print_note(
            f"{counted(len(changed), 'conversation')} {'unstarred' if remove else 'starred'}"
        )
