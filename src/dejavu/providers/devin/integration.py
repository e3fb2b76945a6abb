"""Devin CLI: the server in `~/.config/devin/config.json`, which may have comments.

Source, read in November 2026: docs.devin.ai/cli/reference/configuration/config-file.

Tested in: tests/integrations/test_registration.py
"""

from ..integration import FileEdit, Integration, JsonServer, server_entry

INTEGRATION = Integration(
    folder=lambda home: home.folder("XDG_CONFIG_HOME", ".config") / "devin",
    edits=(FileEdit("config.json", (JsonServer("mcpServers", server_entry()),)),),
    assist_limits="no hook of ours is registered with it",
)
