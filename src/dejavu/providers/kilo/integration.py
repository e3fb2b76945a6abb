"""Kilo Code: the server in `~/.config/kilo/kilo.jsonc` (or `.json`), in OpenCode's form.

Source, read in November 2026: kilo.ai/docs/automate/mcp.

Tested in: tests/integrations/test_registration.py
"""

from pathlib import Path

from ..integration import LAUNCHER, FileEdit, Integration, JsonServer
from ..protocol import Home

_SERVER = {"type": "local", "command": [LAUNCHER, "mcp"], "enabled": True}


def _folder(home: Home) -> Path:
    return home.folder("XDG_CONFIG_HOME", ".config") / "kilo"


def _settings(home: Home) -> Path:
    names = [_folder(home) / name for name in ("kilo.jsonc", "kilo.json")]
    return next((path for path in names if path.exists()), names[0])


INTEGRATION = Integration(
    folder=_folder,
    edits=(FileEdit(_settings, (JsonServer("mcp", _SERVER),)),),
    assist_limits="no hook of ours is registered with it",
)
