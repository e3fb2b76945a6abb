"""`dejavu prune`: the one way by which anything leaves the archive; asks first."""

import sys
from typing import Annotated

import typer

from dejavu.archive.access import full_workspace, open_archive

from .options import Agent, Instance, Json, Workspace, moment
from .output import line, note, print_json


def command(
    before: Annotated[
        str | None,
        typer.Option("--before", help="Conversations that ended before: 90d, 2026-01-01."),
    ] = None,
    workspace: Workspace = None,
    instance: Instance = None,
    agent: Agent = None,
    pattern: Annotated[
        str | None, typer.Option("--pattern", help="A regular expression found in title or turns.")
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say what would go.")] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    json: Json = False,
) -> None:
    """Take conversations out of the archive, for good."""
    with open_archive(write=not dry_run) as archive:
        place = full_workspace(archive, workspace)
        criteria = {
            "before": moment(before), "workspace": place, "instance": instance,
            "agent": agent, "pattern": pattern,
        }  # fmt: skip
        found = archive.prune(**criteria, dry_run=True)  # type: ignore[arg-type]  # by name, as typed above
        if not dry_run and found.conversations:
            if not yes:
                if not sys.stdin.isatty():
                    raise typer.BadParameter("nobody can be asked: add --yes, or --dry-run to look")
                told = f"{len(found.conversations)} conversations, {found.turns} turns"
                typer.confirm(f"Take {told} out of the archive for good?", abort=True, err=True)
            found = archive.prune(**criteria)  # type: ignore[arg-type]  # as above
        titles = [] if not dry_run else [archive.summary(one).title for one in found.conversations]
    if json:
        print_json({"dry_run": dry_run, **found._asdict()})
        return
    for identity, title in zip(found.conversations, titles, strict=False):
        print(f"{identity}  {line(title, 80)}")
    verb = "would go" if dry_run else "are gone"
    told = f"{len(found.conversations)} conversations, {found.turns} turns"
    note(f"{told}, {found.raw_bytes} raw bytes {verb}")
