"""How long Claude Code keeps its transcripts: 30 days, unless `cleanupPeriodDays` says otherwise.

Tested in: tests/interfaces/doctor/test_retention.py
"""

from ..formats.json_lines import as_float
from ..protocol import Home
from ..settings_file import read_settings

_DEFAULT_DAYS = 30.0


def retention_days(home: Home) -> float | None:
    """Days after which a transcript is deleted."""
    settings = read_settings(home.folder("CLAUDE_CONFIG_DIR", ".claude") / "settings.json")
    days = settings.get("cleanupPeriodDays", _DEFAULT_DAYS)
    number = as_float(days)
    return _DEFAULT_DAYS if number is None else number
