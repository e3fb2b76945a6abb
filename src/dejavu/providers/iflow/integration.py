"""iFlow CLI: the server in `~/.iflow/settings.json`.

Source, read in November 2026: platform.iflow.cn/en/cli/configuration/settings.

Tested in: tests/integrations/test_registration.py
"""

from ..integration import FileEdit, Integration, JsonServer, server_entry

INTEGRATION = Integration(
    folder=lambda home: home.path / ".iflow",
    edits=(FileEdit("settings.json", (JsonServer("mcpServers", server_entry()),)),),
    assist_limits="no hook of ours is registered with it",
)
