"""An agent's settings as the JSON object they are, for those of its settings that matter here.

Tested in: tests/integrations/test_registration.py
"""

import json
from pathlib import Path
from typing import Any

from dejavu.config.files import read_regular_file

from .formats.json_lines import as_dict


def read_settings(path: Path) -> dict[str, Any]:
    """The object in a settings file; empty where it is missing or cannot be read."""
    try:
        return as_dict(json.loads(read_regular_file(path)))
    except (OSError, ValueError, RecursionError):
        return {}
