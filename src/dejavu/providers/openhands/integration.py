"""OpenHands CLI: the server in `~/.openhands/mcp.json`.

Source, read in November 2026: docs.openhands.dev, usage/cli/mcp-servers.

Tested in: tests/integrations/test_registration.py
"""

from ..integration import FileEdit, Integration, JsonServer, server_entry

INTEGRATION = Integration(
    folder=lambda home: home.path / ".openhands",
    edits=(FileEdit("mcp.json", (JsonServer("mcpServers", server_entry()),)),),
    assist_limits="no hook of ours is registered with it",
)
