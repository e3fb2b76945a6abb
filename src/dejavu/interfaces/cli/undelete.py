"""`dejavu undelete ID`: put a conversation's own files back where its agent looks for them.

The plan is shown first and nothing is ever overwritten. `--take-back` removes what was put back.

Tested in: tests/services/undelete/test_undelete.py
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from dejavu.archive.access import open_archive, resolve
from dejavu.model.plural import counted
from dejavu.providers import Home
from dejavu.services.undelete.carry_out import carry_out, take_back
from dejavu.services.undelete.plan import Plan, Step, make_plan

from ..command_line.output import one_line, print_json, print_note
from ..command_line.parameters import Argument, Option
from ..command_line.stdio import ExitError
from ..command_line.undelete_plan import check_answer, mapped, print_plan

if TYPE_CHECKING:
    from ..command_line.parameters import Json


def command(
    conversation_id: Annotated[
        str,
        Argument(metavar="ID", help="An id or unique prefix.", complete="conversations"),
    ],
    to: Annotated[
        Path | None,
        Option("--to", metavar="HOME", help="The home to put it into; default: yours."),
    ] = None,
    folder: Annotated[
        list[str] | None,
        Option(
            "--folder", metavar="OLD=NEW", help="Where folder OLD is on this machine; repeatable."
        ),
    ] = None,
    as_copy: Annotated[
        bool, Option("--as-copy", help="Put it back as a copy with a new id.")
    ] = False,
    undo: Annotated[
        bool, Option("--take-back", help="Remove what an earlier undelete put back.")
    ] = False,
    dry_run: Annotated[bool, Option("--dry-run", help="Show the plan and write nothing.")] = False,
    yes: Annotated[bool, Option("--yes", "-y", help="Do not ask.")] = False,
    json: Json = False,
) -> None:
    """Put a deleted conversation back where its agent looks."""
    home = Home.own() if to is None else Home(to.expanduser().absolute(), {})
    with open_archive() as archive:
        identity = archive.resolve(resolve(archive, conversation_id))
        if undo:
            _take_back(identity, json=json)
            return
        plan = make_plan(archive, identity, home, folders=mapped(folder or ()), as_copy=as_copy)
        if not json:
            print_plan(plan)
        done = False
        if plan.needed and not plan.refused and not dry_run:
            check_answer(yes=yes, count=len(plan.needed))
            carry_out(plan)
            done = True
    if json:
        print_json(document(plan, done=done))
    else:
        _conclude(plan, done=done, dry_run=dry_run)
    if plan.refused:
        raise ExitError(1)


def _conclude(plan: Plan, *, done: bool, dry_run: bool) -> None:
    identity, folder = plan.conversation.id, plan.session.folder
    if plan.refused:
        print_note("nothing was put back: a file that differs is never overwritten")
        if any(step.state == "missing" for step in plan.refused):
            print_note(f"`dejavu code handoff {identity} --to AGENT` continues it from its turns")
    elif not plan.needed and not plan.partial:
        print_note(
            f"{plan.conversation.agent} has all of it; `dejavu resume {identity}` resumes it"
        )
    elif done:
        print_note(f"put back; `dejavu resume {identity}` resumes it")
        print_note(f"`dejavu undelete {identity} --take-back` removes it again")
    elif dry_run:
        print_note(f"{counted(len(plan.needed), 'change')} planned, none made")
    if plan.partial and not plan.refused:
        print_note(
            f"{len(plan.partial)} tool output{'s' if len(plan.partial) > 1 else ''} of more than "
            "16 MiB left out; the conversation resumes without"
        )
    if folder and not plan.refused and not Path(folder).is_dir():
        print_note(
            f"the project's folder {one_line(folder)} is not here; --folder {one_line(folder)}=NEW "
            "says where it is"
        )


def _take_back(identity: str, *, json: bool) -> None:
    gone, stays = take_back(identity)
    if json:
        print_json(
            {
                "conversation": identity, "removed": [str(path) for path in gone],
                "kept": [str(path) for path in stays],
            }
        )  # fmt: skip
        return
    for path in gone:
        print(f"removed  {one_line(str(path))}")
    for path in stays:
        print(f"kept     {one_line(str(path))}  changed since")
    if not gone and not stays:
        print_note("nothing was put back, or all of it is gone")


def document(plan: Plan, *, done: bool) -> dict[str, Any]:
    """The plan and its result for programs."""
    return {
        "conversation": plan.conversation.id,
        "agent": plan.conversation.agent,
        "native_id": plan.session.id_here,
        "folder": plan.session.folder,
        "root": str(plan.root),
        "done": done,
        "refused": bool(plan.refused),
        "steps": [_step(step) for step in plan.steps],
    }


def _step(step: Step) -> dict[str, Any]:
    return {
        "state": step.state,
        "path": str(step.path) if step.path else None,
        "what": step.what,
        "size": step.size,
        "sha256": step.digest or None,
        "size_there": step.size_there,
        "sha256_there": step.digest_there or None,
        "differs_at": step.differs_at,
    }
