"""What an agent will delete of its own history, and by when.

How long an agent keeps its history stands in its folder (`Agent.retention`).
"""

import time
from collections.abc import Iterator

from dejavu.providers import RETENTION, Home

from .finding import Finding, Grade

_DAY = 86400.0
_SOON = 7 * _DAY


def retention(agent: str, home: Home, oldest: float | None) -> Iterator[Finding]:
    """At most one finding; `oldest` is when the oldest trace was last written."""
    days = RETENTION[agent](home) if agent in RETENTION else None
    if days is None or oldest is None:
        return
    due = oldest + days * _DAY
    when = time.strftime("%Y-%m-%d", time.localtime(due))
    grade = Grade.NOTE if due < time.time() + _SOON else Grade.GOOD
    yield Finding(
        subject=f"{agent} retention",
        grade=grade,
        told=f"it deletes its history after {days:g} days; the oldest goes by {when}",
        cure="" if grade is Grade.GOOD else f"`dejavu sync --agent {agent}` keeps it",
        facts={"days": days, "oldest_due": due},
    )
