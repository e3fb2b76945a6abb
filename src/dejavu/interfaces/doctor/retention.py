"""When an agent deletes its own history.

How long an agent keeps its history stands in its folder (`Agent.retention`).
"""

import time
from collections.abc import Iterator

from dejavu.config.clock import now

from ..agent_inventory import Inventory
from .finding import Finding, Severity

_SOON = 7 * 86400.0


def retention(found: Inventory) -> Iterator[Finding]:
    """Yield at most one finding."""
    agent, days, due = found.known.agent.name, found.retention_days, found.purge_at
    if days is None or due is None:
        return
    when = time.strftime("%Y-%m-%d", time.localtime(due))
    severity = Severity.WARNING if due < now() + _SOON else Severity.OK
    yield Finding(
        subject=f"{agent} retention",
        severity=severity,
        message=f"it deletes its history after {days:g} days; the oldest goes by {when}",
        fix="" if severity is Severity.OK else f"`dejavu sync --agent {agent}` archives it",
        facts={"days": days, "oldest_due": due},
    )
