"""`dejavu tag ID NAME...`: tag a conversation; without names its tags, without an id all tags."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from dejavu.archive.access import open_archive, resolve
from dejavu.archive.marks import tag_counts
from dejavu.services import marks

from ..command_line.marked import print_marked
from ..command_line.output import one_line, print_json, print_note
from ..command_line.parameters import Argument, Option
from ..filters import decoded

if TYPE_CHECKING:
    from ..command_line.parameters import Json


def command(
    conversation: Annotated[
        str | None,
        Argument(metavar="ID", help="An id or unique prefix; without one, list all tags.",
                 complete="conversations"),
    ] = None,
    tags: Annotated[
        list[str] | None, Argument(metavar="NAME", help="Tags to add, or with `-bug` to remove.")
    ] = None,
    remove: Annotated[
        list[str] | None, Option("--remove", metavar="NAME", help="A tag to remove; repeatable.")
    ] = None,
    json: Json = False,
) -> None:  # fmt: skip
    """Tag a conversation, or list all tags.

    `dejavu list --tag NAME` lists what has a tag; `tag:NAME` in a search looks only there.
    """
    add, gone = [decoded(one) for one in tags or ()], [decoded(one) for one in remove or ()]
    if conversation is None:
        _list_tags(as_json=json)
        return
    with open_archive(write=bool(add or gone)) as archive:
        name = archive.summary(resolve(archive, conversation)).id
        changed = bool(add or gone) and marks.tag(archive, name, add, gone)
        summary = archive.summary(name)
    print_marked([summary], [name] if changed else [], as_json=json)
    if not json:
        print_note(f"tags: {', '.join(summary.tags) or 'none'}")


def _list_tags(*, as_json: bool) -> None:
    with open_archive() as archive:
        counts = tag_counts(archive.scan())
    if as_json:
        print_json({"tags": [{"tag": tag, "count": count} for tag, count in counts.items()]})
        return
    for tag, count in counts.items():
        print(f"{count:5}  {one_line(tag)}")
    if not counts:
        print_note("no conversation has a tag; `dejavu tag ID NAME` adds one")
