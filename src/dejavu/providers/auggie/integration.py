"""Auggie (Augment): the server in `~/.augment/settings.json`.

Source, read in November 2026: docs.augmentcode.com/cli/integrations.

Tested in: tests/integrations/test_registration.py
"""

from ..integration import FileEdit, Integration, JsonServer, server_entry

INTEGRATION = Integration(
    folder=lambda home: home.path / ".augment",
    edits=(FileEdit("settings.json", (JsonServer("mcpServers", server_entry()),)),),
    assist_limits="no hook of ours is registered with it",
)
