"""`dejavu code files TOPIC`: the files that were changed where a topic was spoken of, or in ID.

Tested in: tests/interfaces/cli/test_code_commands.py
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from dejavu.archive.access import open_archive
from dejavu.interfaces.command_line.output import local_time, one_line, page, print_json, style
from dejavu.interfaces.command_line.parameters import Argument
from dejavu.interfaces.filters import decoded, resolve_workspace
from dejavu.model import InvalidValueError, NotFoundError, to_iso
from dejavu.model.conversation import turn_name

from ..topic_files import files_of, topic_files

if TYPE_CHECKING:
    from dejavu.archive import Archive
    from dejavu.interfaces.command_line.parameters import Json, Limit, Offset, Workspace


def command(
    topic: Annotated[
        list[str],
        Argument(metavar="TOPIC", help="Words, as for `search`, or the id of a conversation."),
    ],
    limit: Limit = 10,
    offset: Offset = 0,
    workspace: Workspace = None,
    json: Json = False,
) -> None:
    """List files changed for a topic, or in a conversation."""
    words = decoded(" ".join(topic))
    if not words.strip():
        raise InvalidValueError("no text in TOPIC: give words, as for `search`")
    with open_archive() as archive:
        named = _conversation(archive, words)
        if named is None:
            folder = resolve_workspace(archive, workspace)
            ranked = topic_files(archive, words, offset + limit + 1, workspace=folder)
        else:
            ranked = files_of(archive, named)
        found, following = page(limit, ranked, skip=offset)
    if json:
        print_json(
            {
                "topic": words,
                "files": [
                    {
                        "path": one.path, "score": one.score, "changes": one.changes,
                        "conversation": one.newest.conversation, "seq": one.newest.seq,
                        "agent": one.newest.agent, "at": to_iso(one.newest.at),
                    }
                    for one in found
                ],
                "next": following,
            }
        )  # fmt: skip
        return
    if not found:
        where = f"about {words[:60]!r}" if named is None else f"in {named}"
        raise NotFoundError(f"no file was changed {where}")
    for one in found:
        place = turn_name(one.newest.conversation, one.newest.seq)
        print(
            f"{one_line(one.path)}  {one.changes} change{'s' * (one.changes > 1)}, the last "
            f"{style(one_line(place), '2')} {local_time(one.newest.at)} {one_line(one.newest.agent)}"
        )


def _conversation(archive: Archive, words: str) -> str | None:
    """The conversation that one word names; None where it is a word to look for."""
    try:
        identity = archive.resolve(words)
    except NotFoundError:
        return None
    is_name = words.startswith("last") or any(letter.isdigit() for letter in words)
    return identity if is_name or identity == words else None
