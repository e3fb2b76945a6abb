"""`dejavu resume ID`: start the agent's own resume command, wrapped, in the conversation's folder.

What the agent lost is put back first, as `undelete` does.
"""

from __future__ import annotations

import os
import shutil
import sys
from typing import TYPE_CHECKING, Annotated

from msgspec.structs import replace

from dejavu.archive.access import open_archive, resolve
from dejavu.config.own_program import own_program
from dejavu.model import Conversation, InvalidValueError, NotFoundError
from dejavu.providers import RESTORERS, Home
from dejavu.providers.registry import agents
from dejavu.providers.resume import command_line, resume_command
from dejavu.services.undelete.archived import stored_session
from dejavu.services.undelete.carry_out import carry_out
from dejavu.services.undelete.plan import Plan, make_plan

from ..command_line.output import one_line, print_json, print_note
from ..command_line.parameters import Argument, Option
from ..command_line.stdio import ExitError
from ..command_line.undelete_plan import check_answer, mapped, print_plan

if TYPE_CHECKING:
    from ..command_line.options import Json


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
            "--folder", metavar="OLD=NEW", help="The project's folder OLD is NEW here; repeatable."
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
    folders = mapped(folder or ())
    with open_archive() as archive:
        identity = archive.resolve(resolve(archive, conversation_id))
        main, session = stored_session(archive, identity, folders=folders)
        words = _command(main)
        plan = None
        if before_compaction:
            if json or only_print:
                raise InvalidValueError("--before-compaction makes a copy; it starts it at once")
            plan = _lost(
                make_plan(archive, identity, Home.own(), folders=folders, before_compaction=True)
            )
            copy_id = plan.session.id_here if plan else main.native_id
            words = _command(replace(main, native_id=copy_id))
        elif session.files and main.agent in RESTORERS:
            plan = _lost(make_plan(archive, identity, Home.own(), folders=folders))
        if json or only_print:
            _print(main, session.folder, words, plan, json=json)
            return
        _check_place(main, session.folder, words[0])
        if plan is not None:
            print_plan(plan)
            check_answer(yes=yes, count=len(plan.needed))
            carry_out(plan)
    if session.folder:
        os.chdir(session.folder)
    sys.stdout.flush()
    wrapped = own_program("dejavu.interfaces.run", "--agent", main.agent, "--", *words)
    os.execv(wrapped[0], wrapped)  # noqa: S606 - no shell: this program itself


def _command(main: Conversation) -> list[str]:
    words = resume_command(main)
    if words is None:
        raise NotFoundError(
            f"no command is known that resumes a conversation of {one_line(main.agent, 40)}; "
            f"`dejavu code handoff {main.id} --to AGENT` continues it in another agent"
        )
    return words


def _lost(plan: Plan) -> Plan | None:
    """The plan if the agent lacks something; what is refused is shown, and ends it.

    Raises:
        ExitError: the agent's files are not those that were archived.
    """
    if plan.refused:
        print_plan(plan)
        print_note(f"not resumed: see `dejavu undelete {plan.conversation.id}`")
        raise ExitError(1)
    return plan if plan.needed else None


def _check_place(main: Conversation, folder: str, program: str) -> None:
    """Raise NotFoundError where the agent or the project's folder is not here."""
    if shutil.which(program) is None:
        install = agents()[main.agent].install
        raise NotFoundError(
            f"{program} is not on the PATH" + (f"; `{install}` installs it" if install else "")
        )
    if folder and not os.path.isdir(folder):  # noqa: PTH112 - a test
        there = f" (it is of {one_line(main.instance, 40)})" if main.instance != "local" else ""
        raise NotFoundError(
            f"the project's folder {one_line(folder)} is not here{there}; "
            f"`--folder {one_line(folder)}=NEW` says where it is"
        )


def _print(
    main: Conversation, folder: str, words: list[str], plan: Plan | None, *, json: bool
) -> None:
    if json:
        print_json(
            {
                "conversation": main.id, "agent": main.agent, "folder": folder, "command": words,
                "lost": plan is not None,
            }
        )  # fmt: skip
        return
    print(command_line(words, folder))
    if plan is not None:
        print_note(f"the agent lacks files of it; `dejavu undelete {main.id}` puts them back")
