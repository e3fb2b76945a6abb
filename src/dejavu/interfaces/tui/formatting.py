"""How things are said on one line: safe text, times, names of places. No clock is read."""

import re
from datetime import datetime

from dejavu.model import Conversation
from dejavu.redact.sanitise import sanitise

_WORD = re.compile(r"[^\W_]+")
_FIELD = re.compile(r"-?\w+:(?:\"[^\"]*\"?|\S*)|-\S+")
_MOST_WORDS = 16


def safe(text: str, limit: int = 400) -> str:
    """One harmless line of at most `limit` characters."""
    # What is far beyond the limit is not even looked at: a title may be a megabyte.
    return sanitise(text[: limit * 8], newlines=False, limit=limit).strip()


def day_or_time(at: float | None, now: float) -> str:
    """`14:02` today, `Nov 20` this year, `2025-11-20` before; local time."""
    if at is None:
        return ""
    try:
        moment = datetime.fromtimestamp(at).astimezone()
    except (ValueError, OverflowError, OSError):
        return ""
    today = datetime.fromtimestamp(now).astimezone()
    if moment.date() == today.date():
        return f"{moment:%H:%M}"
    return f"{moment:%b %d}" if moment.year == today.year else f"{moment:%Y-%m-%d}"


def day_of(at: float | None, now: float) -> str:
    """`Today`, `Yesterday`, `Last 7 days`, else the month: what a list is divided by."""
    if at is None:
        return "Undated"
    try:
        day = datetime.fromtimestamp(at).astimezone().date()
    except (ValueError, OverflowError, OSError):
        return "Undated"
    age = (datetime.fromtimestamp(now).astimezone().date() - day).days
    if age <= 1:
        return "Today" if age < 1 else "Yesterday"
    return "Last 7 days" if age < 7 else f"{day:%B %Y}"


def moment_text(at: float | None, form: str = "%Y-%m-%d %H:%M") -> str:
    """A moment in local time; empty where there is none."""
    try:
        return "" if at is None else datetime.fromtimestamp(at).astimezone().strftime(form)
    except (ValueError, OverflowError, OSError):
        return ""


def ago(seconds: float) -> str:
    """`12s`, `5m`, `3h`, `2d`."""
    for size, unit in ((86400, "d"), (3600, "h"), (60, "m")):
        if seconds >= 2 * size or (unit == "m" and seconds >= size):
            return f"{int(seconds / size)}{unit}"
    return f"{max(0, int(seconds))}s"


def short_path(place: str) -> str:
    """The last part of a project's name or of a folder."""
    return safe(place.rstrip("/").rpartition("/")[2] or "-", 60)


def title_of(summary: Conversation) -> str:
    """What a conversation is called, with its star and tags."""
    star = "★ " if summary.starred else ""
    tags = "".join(f" #{safe(tag, 40)}" for tag in summary.tags)
    return f"{star}{safe(summary.title, 300) or '(no title)'}{tags}"


def last_moment(summary: Conversation) -> float | None:
    """The moment a conversation is listed by, as the archive orders them."""
    moments = (summary.ended_at, summary.started_at, summary.captured_at)
    return next((at for at in moments if at is not None), None)


def searched_for(query: str) -> re.Pattern[str] | None:
    """What to highlight for a query: its words, without filters and what it excludes."""
    words = [word for word in _WORD.findall(_FIELD.sub(" ", query)) if len(word) > 1]
    if not words:
        return None
    return re.compile("|".join(map(re.escape, words[:_MOST_WORDS])), re.IGNORECASE)
