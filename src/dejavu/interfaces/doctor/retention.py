"""What an agent will delete of its own history, and by when.

Takes an agent, its home and its oldest trace's time; gives a finding where the agent deletes.
Claude Code deletes transcripts after 30 days unless `cleanupPeriodDays` says otherwise; Gemini CLI
and Qwen Code where `general.sessionRetention` is on and has a `maxAge`. No other agent here does.
"""

import json
import re
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from dejavu.providers import Home
from dejavu.providers.formats.json_coerce import mapping

from .finding import Finding, Grade

_DAY = 86400.0
_CLAUDE_DAYS = 30.0
_SOON = 7 * _DAY
_AGE = re.compile(r"(\d+)\s*([hdwm])")
_UNITS = {"h": 1 / 24, "d": 1.0, "w": 7.0, "m": 30.0}


def retention(agent: str, home: Home, oldest: float | None) -> Iterator[Finding]:
    """At most one finding; `oldest` is when the oldest trace was last written."""
    days = _days(agent, home)
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


def _days(agent: str, home: Home) -> float | None:
    """Days after which history goes; None for an agent that keeps it."""
    if agent == "claude":
        settings = _settings(home.folder("CLAUDE_CONFIG_DIR", ".claude") / "settings.json")
        days = settings.get("cleanupPeriodDays", _CLAUDE_DAYS)
        return float(days) if isinstance(days, int | float) else _CLAUDE_DAYS
    if agent in ("gemini", "qwen"):
        folder = home.under("GEMINI_CLI_HOME", ".gemini")
        if agent == "qwen":
            folder = home.folder("QWEN_HOME", ".qwen")
        settings = _settings(folder / "settings.json")
        rule = mapping(mapping(settings.get("general")).get("sessionRetention"))
        if rule.get("enabled") is True:
            found = _AGE.fullmatch(str(rule.get("maxAge", "")).strip())
            return int(found[1]) * _UNITS[found[2]] if found else None
    return None


def _settings(path: Path) -> dict[str, Any]:
    try:
        return mapping(json.loads(path.read_text("utf-8")))
    except (OSError, ValueError):
        return {}
