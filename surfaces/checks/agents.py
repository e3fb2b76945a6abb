"""The agents: which are installed, where their traces are, what they will delete and when.

Costs a stat a trace. Looks only; starts no agent.
"""

import json
import shutil
import time
from collections.abc import Iterator
from pathlib import Path

from dejavu.providers import PROVIDERS, Home

from ..agents import INSTALL
from ..config import load_config
from ..instance import own_instance
from .finding import Finding, Grade

_DAY = 86400.0
_CLAUDE_DAYS = 30
"""Claude Code deletes transcripts after so many days unless cleanupPeriodDays says otherwise."""


def agents() -> Iterator[Finding]:
    """One finding for each agent that is installed or has left traces."""
    home = Home.own(own_instance(load_config()))
    for agent in sorted({*INSTALL, *PROVIDERS}):
        program = shutil.which(agent)
        provider = PROVIDERS.get(agent)
        moments: list[float] = []
        for source in provider.discover(home) if provider else ():
            try:
                moments.append(source.path.stat().st_mtime)
            except OSError:
                continue
        if program is None and not moments:
            continue
        told = f"{program or 'not installed'}, {len(moments)} traces"
        if provider is None:
            told = f"{program}, no reader for its traces yet: its screen can be kept (--screen)"
        facts = {"program": program, "traces": len(moments), "newest": max(moments, default=None)}
        yield Finding(subject=agent, grade=Grade.GOOD, told=told, facts=facts)
        if agent == "claude" and moments:
            yield from _claude_retention(home, min(moments))


def _claude_retention(home: Home, oldest: float) -> Iterator[Finding]:
    folder = home.folder("CLAUDE_CONFIG_DIR", ".claude")
    days = _days(folder / "settings.json")
    due = oldest + days * _DAY
    when = time.strftime("%Y-%m-%d", time.localtime(due))
    grade = Grade.NOTE if due < time.time() + 7 * _DAY else Grade.GOOD
    yield Finding(
        subject="claude retention",
        grade=grade,
        told=f"Claude Code deletes transcripts after {days} days; its oldest goes by {when}",
        cure="" if grade is Grade.GOOD else "`dejavu sync --agent claude` keeps them",
        facts={"days": days, "oldest_due": due},
    )


def _days(path: Path) -> int:
    try:
        value: object = json.loads(path.read_text("utf-8")).get("cleanupPeriodDays", _CLAUDE_DAYS)
    except (OSError, ValueError, AttributeError):
        return _CLAUDE_DAYS
    return value if isinstance(value, int) else _CLAUDE_DAYS
