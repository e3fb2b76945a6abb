"""`dejavu rationale`: a "why" for each answer, by a command of yours, or extracted."""

from typing import Annotated

import msgspec
import typer

from dejavu.archive.access import full_workspace, open_archive, resolve
from dejavu.config.settings import load_config
from dejavu.model import to_iso
from dejavu.recall.factory import command as command_words
from dejavu.recall.rationale import explain, written

from .options import Json, Workspace
from .output import line, note, paint, print_json


def command(
    conversation: Annotated[
        str | None, typer.Argument(help="Only this conversation (an id, or `last`).")
    ] = None,
    by: Annotated[
        str | None,
        typer.Option("--command", help="Reads a prompt on stdin, e.g. 'claude -p'; '' extracts."),
    ] = None,
    budget: Annotated[int, typer.Option("--budget", min=0, help="At most so many turns.")] = 50,
    limit: Annotated[
        float, typer.Option("--timeout", min=1.0, help="Seconds for one run of the command.")
    ] = 60.0,
    workspace: Workspace = None,
    json: Json = False,
) -> None:
    """Write why things were done, for turns that have no rationale yet; then show it."""
    words = command_words("rationale", load_config().recall.rationale if by is None else by)
    with open_archive(write=True) as archive:
        wanted = [archive.resolve(resolve(archive, conversation))] if conversation else None
        run = explain(
            archive,
            command=words or None,
            conversations=wanted,
            workspace=full_workspace(archive, workspace),
            budget=budget,
            limit=limit,
        )
        shown = [why for one in wanted or () for why in written(archive, one)]
    if json:
        rows = [{**msgspec.to_builtins(why), "at": to_iso(why.at)} for why in shown]
        print_json({**run._asdict(), "rationales": rows})
        return
    for why in shown:
        print(f"{paint(why.conversation, '2')} #{why.seq:<4} ({why.by})")
        print(f"    {line(why.text, 600)}")
    more = "; run it again for the rest" if run.left else ""
    note(f"{run.written} written, {run.skipped} there already, {run.failed} failed{more}")
