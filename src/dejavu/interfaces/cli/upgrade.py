"""`dejavu upgrade`: after a new version, bring the launcher and the registrations up to it.

Only agents that are registered are looked at; commands do not change, so agents that ask before
they trust a hook need not ask again unless there are new events. The daemon leaves, and the next hook
starts the new one.
"""

from typing import Annotated

import typer

from dejavu.integrations import changes, launcher, manifest
from dejavu.integrations.registration import edits, registrable_agents
from dejavu.providers import Home
from dejavu.services.daemon import instance_lock as single

from .init import do, show


def command(
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show what would change, and change nothing.")
    ] = False,
) -> None:
    """Bring registrations up to this version."""
    names = sorted(
        {record.agent for record in manifest.records().values()} & set(registrable_agents())
    )
    home = Home.own()
    planned = [change for name in names for change in changes.plan_add(name, edits(name, home))]
    show(planned)
    if dry_run:
        return
    renewed = bool(names) and launcher.write()
    wanted = [change for change in planned if change.needed]
    do(wanted, changes.apply)
    single.stop()
    print("up to date" if not (renewed or wanted) else f"brought up to date: {', '.join(names)}")
    if any(change.refused for change in planned):
        raise typer.Exit(1)
