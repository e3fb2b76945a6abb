"""Oh My Pi: the server in `~/.omp/agent/mcp.json`.

Source, read in November 2026: the guide to `/mcp` and the notes on MCP in its repository.

Tested in: tests/integrations/test_registration.py
"""

from ..integration import FileEdit, Integration, JsonServer, server_entry

INTEGRATION = Integration(
    folder=lambda home: home.path / ".omp" / "agent",
    edits=(FileEdit("mcp.json", (JsonServer("mcpServers", server_entry()),)),),
    assist_limits="no hook of ours is registered with it",
)
