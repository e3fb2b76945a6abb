"""How a conversation is resumed here: the agent's own command, its folder, what the agent lacks.

One answer for `resume` and `desk`. Starts nothing and writes nothing. Costs a read of the
conversation's files on both sides.

Tested in: tests/interfaces/cli/test_resume.py
"""

import os
import shutil
from collections.abc import Sequence
from typing import NamedTuple

from msgspec.structs import replace

from dejavu.archive import Archive
from dejavu.model import Conversation, NotFoundError
from dejavu.providers import RESTORERS, Home
from dejavu.providers.registry import agents
from dejavu.providers.resume import resume_command
from dejavu.redact.sanitise import sanitise

from .undelete.archived import stored_session
from .undelete.plan import Plan, make_plan


class Resumption(NamedTuple):
    """`command` is run in `folder`, once `plan` was carried out; None: the agent lacks nothing."""

    conversation: Conversation
    folder: str
    command: list[str]
    plan: Plan | None


def resumption(
    archive: Archive,
    identity: str,
    *,
    folders: Sequence[tuple[str, str]] = (),
    before_compaction: bool = False,
) -> Resumption:
    """Return how the conversation `identity` is resumed. folders: pairs of OLD and NEW folders.

    before_compaction: as a copy that ends where the agent last compacted its context.

    Raises:
        NotFoundError: no command of the agent resumes it.
    """
    mapped = tuple(folders)
    main, session = stored_session(archive, identity, folders=mapped)
    command = _command(main)
    if before_compaction:
        copy = make_plan(archive, identity, Home.own(), folders=mapped, before_compaction=True)
        command = _command(replace(main, native_id=copy.session.id_here))
        return Resumption(main, session.folder, command, _lacking(copy))
    plan = None
    if session.files and main.agent in RESTORERS:
        plan = _lacking(make_plan(archive, identity, Home.own(), folders=mapped))
    return Resumption(main, session.folder, command, plan)


def check_place(found: Resumption) -> None:
    """Refuse what cannot start here.

    Raises:
        NotFoundError: the agent or the project's folder is not on this machine.
    """
    main, folder, program = found.conversation, found.folder, found.command[0]
    if shutil.which(program) is None:
        install = agents()[main.agent].install
        raise NotFoundError(
            f"{program} is not on the PATH" + (f"; `{install}` installs it" if install else "")
        )
    if folder and not os.path.isdir(folder):  # noqa: PTH112 - a test
        there = f" (it is of {_shown(main.instance)})" if main.instance != "local" else ""
        raise NotFoundError(
            f"the project's folder {_shown(folder)} is not here{there}; "
            f"`--folder {_shown(folder)}=NEW` says where it is"
        )


def _lacking(plan: Plan) -> Plan | None:
    return plan if plan.needed or plan.refused else None


def _shown(text: str) -> str:
    return sanitise(text, newlines=False)


def _command(main: Conversation) -> list[str]:
    words = resume_command(main)
    if words is None:
        raise NotFoundError(
            f"no command is known that resumes a conversation of {_shown(main.agent)}; "
            f"`dejavu code handoff {main.id} --to AGENT` continues it in another agent"
        )
    return words
