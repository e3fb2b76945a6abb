"""`dejavu code handoff [ID|last] --to AGENT`: a brief for the agent that continues, and its start.

The brief goes to stdout; `--start` runs the agent with it as its first prompt, wrapped. The new
conversation names the old one in its first line, by which lists show the chain.
"""

from __future__ import annotations

import os
import shlex
import sys
from typing import TYPE_CHECKING, Annotated

from dejavu.archive.access import resolve
from dejavu.archive.redactor import archive_redactor
from dejavu.config.own_program import own_program
from dejavu.interfaces.command_line.output import one_line, print_json, print_note
from dejavu.interfaces.command_line.parameters import Argument, Option
from dejavu.interfaces.filters import did_you_mean
from dejavu.model import InvalidValueError, NotFoundError
from dejavu.providers.registry import agents

from ..brief import Brief, make_brief
from ..open_index import open_edits

if TYPE_CHECKING:
    from dejavu.interfaces.command_line.parameters import Json


def command(
    conversation_id: Annotated[
        str,
        Argument(
            metavar="ID",
            help="An id or unique prefix; default: the newest.",
            complete="conversations",
        ),
    ] = "last",
    to: Annotated[
        str,
        Option("--to", metavar="AGENT", help="The agent that continues.", complete="agents"),
    ] = "",
    start: Annotated[bool, Option("--start", help="Start it, wrapped, with the brief.")] = False,
    json: Json = False,
) -> None:
    """Hand a conversation over to another agent."""
    begin = _begin(to) if to else ()
    if start and not to:
        raise InvalidValueError("--start needs --to AGENT")
    with open_edits() as (archive, index):
        brief = make_brief(
            archive, index, resolve(archive, conversation_id), archive_redactor().redact
        )
    if start:
        _start(brief, to, begin)
    if json:
        print_json(
            {
                "conversation": brief.source.id, "agent": brief.source.agent, "to": to or None,
                "workspace": brief.source.workspace, "brief": brief.text,
                "command": [*begin, brief.text] if begin else None,
            }
        )  # fmt: skip
        return
    print(brief.text)
    if to and begin:
        words = shlex.join(["dejavu", "code", "handoff", brief.source.id, "--to", to, "--start"])
        print_note(f"`{words}` starts {to} with it")
    elif to:
        print_note(f"{to} takes no first prompt on its command line: paste the brief")


def _begin(agent: str) -> tuple[str, ...]:
    """The command that takes a first prompt as its last argument; () where none is known.

    Raises:
        InvalidValueError: there is no such agent.
    """
    known = agents()
    if agent not in known:
        raise InvalidValueError(f"unknown agent {agent!r}{did_you_mean(agent, list(known))}")
    return known[agent].begin


def _start(brief: Brief, agent: str, begin: tuple[str, ...]) -> None:
    """Become the wrapper of the agent, in the conversation's folder.

    Raises:
        NotFoundError: the agent takes no first prompt, or the folder is not here.
    """
    if not begin:
        raise NotFoundError(f"{agent} takes no first prompt on its command line; paste the brief")
    folder = brief.source.workspace
    if folder and not os.path.isdir(folder):  # noqa: PTH112 - a test
        raise NotFoundError(
            f"the folder {one_line(folder)} is not here; go to its copy and paste the brief"
        )
    if folder:
        os.chdir(folder)
    sys.stdout.flush()
    words = own_program("dejavu.interfaces.run", "--agent", agent, "--", *begin, brief.text)
    os.execv(sys.executable, words)  # noqa: S606 - no shell: this program itself
