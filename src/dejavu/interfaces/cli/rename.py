"""`dejavu rename ID TITLE`: give a conversation a title of your own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from dejavu.archive.access import open_archive, resolve
from dejavu.model import InvalidValueError
from dejavu.services import marks

from ..command_line.marked import print_marked
from ..command_line.output import one_line, print_note
from ..command_line.parameters import Argument, Option
from ..filters import decoded

if TYPE_CHECKING:
    from ..command_line.parameters import ConversationId, Json


def command(
    conversation: ConversationId,
    title: Annotated[list[str] | None, Argument(help="The new title.")] = None,
    reset: Annotated[bool, Option("--reset", help="Go back to the agent's title.")] = False,
    json: Json = False,
) -> None:
    """Give a conversation a title of your own.

    The title is stored in the archive only. The agent's files don't change, and later syncs keep it.
    """
    text = decoded(" ".join(title or ())).strip()
    if bool(text) == reset:
        raise InvalidValueError("give a title, or --reset")
    with open_archive(write=True) as archive:
        name = archive.summary(resolve(archive, conversation)).id
        changed = marks.rename(archive, name, text)
        summary = archive.summary(name)
    print_marked([summary], [name] if changed else [], as_json=json)
    if not json:
        print_note(f"title: {one_line(summary.title or '(no title)', 200)}")
