"""`dejavu code how COMMAND|TOOL`: the ways it was really called, and which worked.

Tested in: tests/interfaces/cli/test_code_commands.py
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from dejavu.interfaces.command_line.output import local_time, one_line, page, print_json, style
from dejavu.interfaces.command_line.parameters import Argument
from dejavu.interfaces.filters import decoded, resolve_workspace
from dejavu.model import InvalidValueError, NotFoundError, to_iso
from dejavu.model.conversation import turn_name

from ..open_index import open_edits
from ..usage import usages

if TYPE_CHECKING:
    from dejavu.interfaces.command_line.parameters import Json, Limit, Offset, Workspace


def command(
    name: Annotated[
        list[str],
        Argument(metavar="COMMAND", help="A program, `npm test`, or a tool's name."),
    ],
    limit: Limit = 10,
    offset: Offset = 0,
    workspace: Workspace = None,
    json: Json = False,
) -> None:
    """Show how a command was called, and what worked."""
    wanted = decoded(" ".join(name))
    if not wanted.strip():
        raise InvalidValueError("no text in COMMAND: name a program, `npm test`, or a tool")
    with open_edits() as (archive, index):
        folder = resolve_workspace(archive, workspace)
        ways = usages(archive, index, wanted, offset + limit + 1, workspace=folder)
        found, following = page(limit, ways, skip=offset)
    if json:
        print_json(
            {
                "name": wanted,
                "usages": [
                    {
                        "command": one.text, "worked": one.worked, "failed": one.failed,
                        "unknown": one.unknown, "at": to_iso(one.call.at), "agent": one.call.agent,
                        "conversation": one.call.conversation, "seq": one.call.seq,
                        "workspace": one.call.workspace,
                    }
                    for one in found
                ],
                "next": following,
            }
        )  # fmt: skip
        return
    if not found:
        raise NotFoundError(f"no call of {wanted[:60]!r} is in the archive")
    for one in found:
        counts = f"{one.worked} worked, {one.failed} failed"
        counts += f", {one.unknown} unknown" if one.unknown else ""
        place = turn_name(one.call.conversation, one.call.seq)
        print(f"{one_line(one.text, 200)}")
        print(
            f"    {counts}  {style(one_line(place), '2')} {local_time(one.call.at)} {one_line(one.call.agent)}"
        )
