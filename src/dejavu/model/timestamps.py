"""Timestamps: Unix seconds (UTC, float) inside, ISO 8601 with `Z` outside. Reads no clock."""

from datetime import UTC, datetime

_EARLIEST = datetime(1990, 1, 1, tzinfo=UTC).timestamp()
_LATEST = datetime(2200, 1, 1, tzinfo=UTC).timestamp()


def known_time(at: float | None) -> float | None:
    """Return `at`, or None outside 1990..2200: a broken clock's, shown to people as unknown."""
    return at if at is not None and _EARLIEST <= at < _LATEST else None


def to_iso(at: float | None) -> str | None:
    """Format Unix seconds as `2026-11-21T20:31:00.123Z` (milliseconds, UTC).

    None for None, and for a number outside the calendar: one broken clock must not stop a listing.
    """
    if at is None:
        return None
    try:
        parsed = datetime.fromtimestamp(at, UTC)
    except (ValueError, OverflowError, OSError):
        return None
    return parsed.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def from_iso(value: object) -> float | None:
    """Return Unix seconds from ISO 8601 text (no zone means UTC) or a number; else None.

    Numbers above 1e11 count as milliseconds, as most agents write them. Never raises, whatever a
    session log has where a time belongs: a turn with a broken date is still worth keeping.
    """
    try:
        if isinstance(value, int | float) and not isinstance(value, bool):
            return value / 1000.0 if abs(value) > 1e11 else float(value)
        if isinstance(value, str):
            parsed = datetime.fromisoformat(value)
            return (parsed if parsed.tzinfo else parsed.replace(tzinfo=UTC)).timestamp()
    except (ValueError, OverflowError):  # not ISO 8601, or a number no float can hold
        pass
    return None
