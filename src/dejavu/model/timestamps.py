"""Moments: Unix seconds (UTC, float) inside, ISO 8601 with `Z` outside.

Takes a number or a text; gives the other. Never asks what time it is.
"""

from datetime import UTC, datetime


def to_iso(at: float | None) -> str | None:
    """`at` in Unix seconds as `2026-11-21T20:31:00.123Z` (milliseconds, UTC); None stays None.

    A number that is no moment of our calendar gives None too: one broken clock must not stop a
    listing.
    """
    if at is None:
        return None
    try:
        moment = datetime.fromtimestamp(at, UTC)
    except (ValueError, OverflowError, OSError):
        return None
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def from_iso(moment: str | float | None) -> float | None:
    """Unix seconds from ISO 8601 text (no zone means UTC) or a number; None if it is neither.

    Numbers above 1e11 are taken for milliseconds, as most agents write them. Never raises: a
    trace with a broken date still has a turn worth keeping.
    """
    if moment is None or isinstance(moment, bool):
        return None
    if isinstance(moment, int | float):
        return moment / 1000.0 if abs(moment) > 1e11 else float(moment)
    try:
        parsed = datetime.fromisoformat(moment)
    except ValueError:
        return None
    return (parsed if parsed.tzinfo else parsed.replace(tzinfo=UTC)).timestamp()
