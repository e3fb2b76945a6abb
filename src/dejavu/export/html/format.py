"""Numbers and times as a person reads them: `1.2M`, `$0.42`, `2h 05m`, `2026-11-21 20:31`.

No clock is read; the zone is an argument (None: this machine's).
"""

from datetime import UTC, datetime, tzinfo


def amount(number: int) -> str:
    """A count in at most five characters: `999`, `1.2k`, `34k`, `1.2M`."""
    for size, unit in ((10**9, "G"), (10**6, "M"), (10**3, "k")):
        if number >= size:
            scaled = number / size
            return f"{scaled:.1f}{unit}" if scaled < 9.95 else f"{scaled:.0f}{unit}"
    return str(number)


def money(dollars: float) -> str:
    """US dollars, with the cents that matter."""
    return f"${dollars:,.2f}" if dollars >= 0.0995 or dollars == 0 else f"${dollars:.3f}"


def duration(seconds: float) -> str:
    """`45s`, `12m`, `2h 05m`, `3d 4h`."""
    minutes = int(seconds // 60)
    if minutes < 1:
        return f"{int(seconds)}s"
    if minutes < 60:
        return f"{minutes}m"
    if minutes < 24 * 60:
        return f"{minutes // 60}h {minutes % 60:02}m"
    return f"{minutes // 1440}d {minutes % 1440 // 60}h"


def local(at: float, zone: tzinfo | None) -> datetime:
    """The moment `at` (Unix seconds) in `zone`; a moment no calendar has is its first."""
    try:
        return datetime.fromtimestamp(at, UTC).astimezone(zone)
    except (OverflowError, OSError, ValueError):
        return datetime.fromtimestamp(0, UTC)
