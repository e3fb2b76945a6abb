"""What a last sync kept and what it had to leave, said so that somebody may prune on its word.

Takes a report; prints it and says whether anything was left behind.
"""

from typing import Any

from dejavu.ingest.importer import Report

from .output import line, note


def told(report: Report) -> str:
    """What was looked at and what came of it, in one line."""
    fresh = _many(len(report.conversations), "conversation")
    news = f"{report.read} had news: {fresh}, {report.bytes} bytes"
    return f"{_many(report.sources, 'trace')} looked at, {news}"


def tell_final(report: Report) -> bool:
    """Name everything that was left behind and why; whether that is nothing."""
    print(told(report))
    for path, reason in report.unreadable:
        note(f"left behind: {line(path)}: {line(reason)}")
    if report.unreadable:
        count = _many(len(report.unreadable), "trace")
        note(f"{count} not wholly kept; all else that was readable is in the archive")
        return False
    print("nothing was left behind: all that was readable is in the archive")
    return True


def plain(report: Report) -> dict[str, Any]:
    """The same for machines."""
    return {
        "sources": report.sources,
        "read": report.read,
        "bytes": report.bytes,
        "conversations": sorted(report.conversations),
        "unreadable": [{"path": path, "reason": reason} for path, reason in report.unreadable],
        "unknown_types": dict(report.drift),
    }


def _many(count: int, what: str) -> str:
    return f"{count} {what}{'' if count == 1 else 's'}"
