"""Kiro, its command line and its editor: the server in `~/.kiro/settings/mcp.json`.

Source, read in November 2026: kiro.dev/docs/cli/mcp/configuration.

Tested in: tests/integrations/test_registration.py
"""

from ..integration import FileEdit, Integration, JsonServer, server_entry

INTEGRATION = Integration(
    folder=lambda home: home.path / ".kiro",
    edits=(FileEdit("settings/mcp.json", (JsonServer("mcpServers", server_entry()),)),),
    assist_limits="no hook of ours is registered with it",
)
