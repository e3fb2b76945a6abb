"""Claude's desktop program: the server in `claude_desktop_config.json`.

Source, read in November 2026: modelcontextprotocol.io, connecting local servers.

Tested in: tests/integrations/test_registration.py
"""

from ..integration import FileEdit, Integration, JsonServer, application_folder, server_entry

INTEGRATION = Integration(
    folder=lambda home: application_folder(home, "Claude"),
    edits=(FileEdit("claude_desktop_config.json", (JsonServer("mcpServers", server_entry()),)),),
    note="Claude's desktop program reads its servers when it starts",
    assist_limits="it calls no hooks",
)
