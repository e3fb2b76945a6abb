"""When an agent deletes its own history, and whether that would lose anything.

How long an agent keeps its history is said in its folder (`Agent.retention`). What the archive holds
already is no reason to warn. Costs a look-up in the archive for each file that is due.
"""

import time
from collections.abc import Iterator
from contextlib import suppress

from dejavu.archive.access import open_archive
from dejavu.config.clock import now
from dejavu.model import ArchiveError, NotFoundError
from dejavu.providers import Source

from ..agent_inventory import Inventory
from .finding import Finding, Severity

_DAY = 86400.0
_SOON = 7 * _DAY


def retention(found: Inventory) -> Iterator[Finding]:
    """Yield at most one finding."""
    agent, days, due = found.known.agent.name, found.retention_days, found.purge_at
    if days is None or due is None:
        return
    at = now()
    soon = _due_before(found, days, at + _SOON)
    missing = _not_archived(soon) if soon else []
    message = f"it deletes its history after {days:g} days"
    if not soon:
        message += f"; the oldest goes by {_day(due)}"
    elif not missing:
        message += "; all that goes soon is in the archive"
    else:
        first = min(missing)
        when = f"the first goes by {_day(first)}" if first > at else "they may go at any time"
        files = "1 file" if len(missing) == 1 else f"{len(missing)} files"
        message += f"; {files} due within a week not archived yet: {when}"
    yield Finding(
        subject=f"{agent} retention",
        severity=Severity.WARNING if missing else Severity.OK,
        message=message,
        fix=f"`dejavu sync --agent {agent}` archives it" if missing else "",
        facts={"days": days, "oldest_due": due, "not_archived": len(missing)},
    )


def _due_before(found: Inventory, days: float, limit: float) -> list[tuple[Source, float]]:
    """The sources that the agent deletes before `limit`, and when."""
    due: list[tuple[Source, float]] = []
    for source in found.sources:
        with suppress(OSError):
            moment = source.path.stat().st_mtime + days * _DAY
            if moment < limit:
                due.append((source, moment))
    return due


def _not_archived(due: list[tuple[Source, float]]) -> list[float]:
    """When those of `due` go of which the archive holds nothing."""
    try:
        with open_archive() as archive, archive.view():
            return [moment for source, moment in due if not archive.knows(source.key)]
    except (NotFoundError, ArchiveError):  # the archive's own check says so
        return [moment for _, moment in due]


def _day(moment: float) -> str:
    return time.strftime("%Y-%m-%d", time.localtime(moment))
