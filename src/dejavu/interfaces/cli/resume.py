"""`dejavu resume ID`: start the agent's own resume command, wrapped, in the conversation's folder.

What the agent lost is put back first, as `undelete` does.
"""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Annotated

from dejavu.archive.access import open_archive, resolve
from dejavu.config.own_program import own_program
from dejavu.model import InvalidValueError
from dejavu.providers.resume import command_line
from dejavu.services.resumption import Resumption, check_place, resumption
from dejavu.services.undelete.carry_out import carry_out

from ..command_line.output import print_json, print_note
from ..command_line.parameters import Argument, Option
from ..command_line.stdio import ExitError
from ..command_line.undelete_plan import check_answer, mapped, print_plan

if TYPE_CHECKING:
    from ..command_line.parameters import Json


def command(
    conversation_id: Annotated[
        str,
        Argument(
            metavar="ID",
            help="An id or unique prefix; default: the newest.",
            complete="conversations",
        ),
    ] = "last",
    folder: Annotated[
        list[str] | None,
        Option(
            "--folder", metavar="OLD=NEW", help="Where folder OLD is on this machine; repeatable."
        ),
    ] = None,
    only_print: Annotated[
        bool, Option("--print", help="Print the agent's command and start nothing.")
    ] = False,
    before_compaction: Annotated[
        bool,
        Option(
            "--before-compaction",
            help="Resume a copy that ends before the agent compacted its context.",
        ),
    ] = False,
    yes: Annotated[bool, Option("--yes", "-y", help="Do not ask.")] = False,
    json: Json = False,
) -> None:
    """Resume a conversation in its agent, restored if it's gone."""
    if before_compaction and (json or only_print):
        raise InvalidValueError("--before-compaction makes a copy; it starts it at once")
    with open_archive() as archive:
        found = resumption(
            archive,
            archive.resolve(resolve(archive, conversation_id)),
            folders=mapped(folder or ()),
            before_compaction=before_compaction,
        )
        if found.plan is not None and found.plan.refused:
            print_plan(found.plan)
            print_note(f"not resumed: see `dejavu undelete {found.conversation.id}`")
            raise ExitError(1)
        if json or only_print:
            _print(found, json=json)
            return
        check_place(found)
        if found.plan is not None:
            print_plan(found.plan)
            check_answer(yes=yes, count=len(found.plan.needed))
            carry_out(found.plan)
    if found.folder:
        os.chdir(found.folder)
    sys.stdout.flush()
    wrapped = own_program(
        "dejavu.interfaces.run", "--agent", found.conversation.agent, "--", *found.command
    )
    os.execv(wrapped[0], wrapped)  # noqa: S606 - no shell: this program itself


def _print(found: Resumption, *, json: bool) -> None:
    if json:
        print_json(
            {
                "conversation": found.conversation.id, "agent": found.conversation.agent,
                "folder": found.folder, "command": found.command, "lost": found.plan is not None,
            }
        )  # fmt: skip
        return
    print(command_line(found.command, found.folder))
    if found.plan is not None:
        print_note(
            f"the agent has lost its files; `dejavu undelete {found.conversation.id}` puts them back"
        )
