"""The older Kimi CLI: the server in `mcp.json` below `$KIMI_SHARE_DIR` or `~/.kimi`.

Source, read in November 2026: moonshotai.github.io/kimi-cli, customization/mcp.

Tested in: tests/integrations/test_registration.py
"""

from ..integration import FileEdit, Integration, JsonServer, server_entry

INTEGRATION = Integration(
    folder=lambda home: home.folder("KIMI_SHARE_DIR", ".kimi"),
    edits=(FileEdit("mcp.json", (JsonServer("mcpServers", server_entry()),)),),
    assist_limits="no hook of ours is registered with it",
)
