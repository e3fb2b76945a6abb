"""When an agent deletes its own history.

How long an agent keeps its history stands in its folder (`Agent.retention`).
"""

import time
from collections.abc import Iterator

from dejavu.config.clock import now
from dejavu.providers import RETENTION, Home

from .finding import Finding, Severity

_DAY = 86400.0
_SOON = 7 * _DAY


def retention(agent: str, home: Home, oldest: float | None) -> Iterator[Finding]:
    """Yield at most one finding; `oldest` is when the oldest session file was last written."""
    days = RETENTION[agent](home) if agent in RETENTION else None
    if days is None or oldest is None:
        return
    due = oldest + days * _DAY
    when = time.strftime("%Y-%m-%d", time.localtime(due))
    severity = Severity.WARNING if due < now() + _SOON else Severity.OK
    yield Finding(
        subject=f"{agent} retention",
        severity=severity,
        message=f"it deletes its history after {days:g} days; the oldest goes by {when}",
        fix="" if severity is Severity.OK else f"`dejavu sync --agent {agent}` archives it",
        facts={"days": days, "oldest_due": due},
    )
