"""`dejavu memory why`: write why each answer was given, with a model command or extracted."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import msgspec

from dejavu.archive.access import open_archive, resolve
from dejavu.config.settings import load_config
from dejavu.model import to_iso
from dejavu.model.conversation import turn_name
from dejavu.recall.factory import command as command_words
from dejavu.recall.rationale import explain, written

from ..command_line.output import one_line, print_json, print_note, style
from ..command_line.parameters import Argument, Option
from ..filters import resolve_workspace

if TYPE_CHECKING:
    from ..command_line.parameters import Json, Workspace


def command(
    conversation: Annotated[
        str | None,
        Argument(
            metavar="ID",
            help="Only this conversation (an id, `last`, `last~1`).",
            complete="conversations",
        ),
    ] = None,
    by: Annotated[
        str | None,
        Option(
            "--command", help="Command that reads a prompt on stdin ('claude -p'); '' extracts."
        ),
    ] = None,
    budget: Annotated[int, Option("--budget", min=0, help="Maximum number of turns.")] = 50,
    limit: Annotated[
        float, Option("--timeout", min=1.0, help="Seconds for one run of the command.")
    ] = 60.0,
    workspace: Workspace = None,
    json: Json = False,
) -> None:
    """Write why each answer was given, and show it."""
    argv = command_words("rationale", load_config().recall.rationale if by is None else by)
    with open_archive(write=True) as archive:
        selected = [archive.resolve(resolve(archive, conversation))] if conversation else None
        run = explain(
            archive,
            command=argv or None,
            conversations=selected,
            workspace=resolve_workspace(archive, workspace),
            budget=budget,
            limit=limit,
        )
        shown = [why for identity in selected or () for why in written(archive, identity)]
    if json:
        rows = [{**msgspec.to_builtins(why), "at": to_iso(why.at)} for why in shown]
        print_json({**run._asdict(), "rationales": rows})
        return
    for why in shown:
        print(
            f"{style(f'{one_line(turn_name(why.conversation, why.seq)):21}', '2')} ({one_line(why.by)})"
        )
        print(f"    {one_line(why.text, 600)}")
    if selected and not shown and not run.failed:
        print_note(
            f"no answer in {selected[0]} gives a reason in its own words; "
            "--command 'claude -p' has a model write one"
        )
        return
    more = "; more are left, run it again" if run.left else ""
    print_note(f"{run.written} written, {run.skipped} already there, {run.failed} failed{more}")
