"""Copilot in VS Code: the server in the user's `mcp.json`, under `servers`.

Source, read in November 2026: code.visualstudio.com/docs/copilot, MCP servers.

Tested in: tests/integrations/test_registration.py
"""

from ..integration import FileEdit, Integration, JsonServer, application_folder, server_entry

INTEGRATION = Integration(
    folder=lambda home: application_folder(home, "Code") / "User",
    edits=(FileEdit("mcp.json", (JsonServer("servers", server_entry(type="stdio")),)),),
    assist_limits="no hook of ours is registered with it",
)
