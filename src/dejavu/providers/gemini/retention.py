"""How long Gemini CLI keeps its sessions: for ever, unless `general.sessionRetention` is on.

Tested in: tests/interfaces/doctor/test_retention.py
"""

import re
from pathlib import Path

from ..formats.json_lines import as_dict
from ..protocol import Home
from ..settings_file import read_settings

_AGE = re.compile(r"(\d+)\s*([hdwm])")
_UNIT_DAYS = {"h": 1 / 24, "d": 1.0, "w": 7.0, "m": 30.0}


def retention_days(home: Home) -> float | None:
    """Days after which a session is deleted; None if they are kept."""
    return session_retention(home.relocated("GEMINI_CLI_HOME", ".gemini"))


def session_retention(folder: Path) -> float | None:
    """The same for any agent with these settings; `folder` holds `settings.json`."""
    general = as_dict(read_settings(folder / "settings.json").get("general"))
    rule = as_dict(general.get("sessionRetention"))
    if rule.get("enabled") is not True:
        return None
    age = _AGE.fullmatch(str(rule.get("maxAge", "")).strip())
    return int(age[1]) * _UNIT_DAYS[age[2]] if age else None
