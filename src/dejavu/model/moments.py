"""Moments as people write them: `2d`, `3h ago`, `1mo`, `now`, `today`, `yesterday`, `monday`, an ISO date.

`m` is minutes; `M`, which some mean for months, is refused. A month is 30 days. A local date or
time is meant where no zone is said, and of a day's name the last one before today. Owns no clock: the
present is an argument.

Tested in: tests/model/test_conversation_filter.py
"""

import re
from datetime import datetime, timedelta

_AGO = re.compile(r"(\d+(?:\.\d+)?)\s*(s|m|min|h|d|w|mo|y)")
_SECONDS = {
    "s": 1, "m": 60, "min": 60, "h": 3600, "d": 86400, "w": 7 * 86400, "mo": 30 * 86400,
    "y": 365 * 86400,
}  # fmt: skip
_DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_MONTHS = re.compile(r"[\d.]+\s*M")


def parse_moment(text: str, now: float) -> float | None:
    """Unix seconds of the moment that `text` names, seen from `now`; None where it names none."""
    if _MONTHS.match(text.strip()):
        return None
    word = text.strip().lower()
    if word == "now":
        return now
    if word in ("today", "yesterday"):
        local = datetime.fromtimestamp(now).astimezone()
        midnight = local.replace(hour=0, minute=0, second=0, microsecond=0)
        return (midnight - timedelta(days=word == "yesterday")).timestamp()
    if word in _DAYS:
        local = datetime.fromtimestamp(now).astimezone()
        midnight = local.replace(hour=0, minute=0, second=0, microsecond=0)
        return (
            midnight - timedelta(days=(local.weekday() - _DAYS.index(word)) % 7 or 7)
        ).timestamp()
    if ago := _AGO.fullmatch(word.removesuffix(" ago")):
        return now - float(ago[1]) * _SECONDS[ago[2]]
    try:
        return datetime.fromisoformat(text.strip()).astimezone().timestamp()
    except (ValueError, OverflowError):
        return None
