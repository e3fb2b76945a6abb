"""Goose: the server as an extension in `~/.config/goose/config.yaml`.

Source, read in November 2026: block.github.io/goose, guides/config-files.

Tested in: tests/integrations/test_registration.py
"""

from ..integration import LAUNCHER, FileEdit, Integration, YamlServer

_EXTENSION = {
    "name": "dejavu", "type": "stdio", "cmd": LAUNCHER, "args": ["mcp"], "enabled": True,
    "timeout": 300,
}  # fmt: skip

INTEGRATION = Integration(
    folder=lambda home: home.folder("XDG_CONFIG_HOME", ".config") / "goose",
    edits=(FileEdit("config.yaml", (YamlServer("extensions", _EXTENSION),)),),
    assist_limits="no hook of ours is registered with it",
)
