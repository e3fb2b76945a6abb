"""Amazon Q Developer CLI: the server in `~/.aws/amazonq/mcp.json`.

Source, read in November 2026: docs.aws.amazon.com/amazonq (MCP configuration).

Tested in: tests/integrations/test_registration.py
"""

from ..integration import FileEdit, Integration, JsonServer, server_entry

INTEGRATION = Integration(
    folder=lambda home: home.path / ".aws" / "amazonq",
    edits=(FileEdit("mcp.json", (JsonServer("mcpServers", server_entry()),)),),
    assist_limits="no hook of ours is registered with it",
)
