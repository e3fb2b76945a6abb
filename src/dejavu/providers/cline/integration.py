"""Cline: the server in `cline_mcp_settings.json`, which its command line and its extension share.

Source, read in November 2026: docs.cline.bot/mcp.

Tested in: tests/integrations/test_registration.py
"""

from ..integration import FileEdit, Integration, JsonServer, server_entry

INTEGRATION = Integration(
    folder=lambda home: home.folder("CLINE_DIR", ".cline"),
    edits=(
        FileEdit(
            "data/settings/cline_mcp_settings.json",
            (JsonServer("mcpServers", server_entry(disabled=False)),),
        ),
    ),
    assist_limits="no hook of ours is registered with it",
)
