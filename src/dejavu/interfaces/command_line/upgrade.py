"""`dejavu init --upgrade`: update the launcher and the registrations to this version.

Only registered agents are changed; commands stay the same, so agents that ask before they trust a
hook need not ask again unless there are new events. The daemon stops, and the next hook starts the
new one.
"""

from dejavu.integrations import changes, launcher, manifest
from dejavu.integrations.registration import edits, registrable_agents
from dejavu.providers import Home
from dejavu.services.daemon import instance_lock

from .settings_changes import apply_changes, show
from .stdio import ExitError


def upgrade(*, dry_run: bool) -> None:
    """Update registrations to this version.

    Raises:
        ExitError: a file was left alone.
    """
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
    apply_changes(wanted, changes.apply)
    instance_lock.stop()
    print("up to date" if not (renewed or wanted) else f"updated: {', '.join(names)}")
    if any(change.refused for change in planned):
        raise ExitError(1)
