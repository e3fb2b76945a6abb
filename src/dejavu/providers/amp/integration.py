"""Amp: the server in `settings.json`, under the key `amp.mcpServers`; it calls no hooks.

Sources: ampcode.com/manual (settings), read in November 2026, and the schema inside the client of
January 2026.
"""

from ..integration import FileEdit, Integration, JsonServer, server_entry

INTEGRATION = Integration(
    folder=lambda home: home.folder("XDG_CONFIG_HOME", ".config") / "amp",
    edits=(FileEdit("settings.json", (JsonServer("amp.mcpServers", server_entry()),)),),
    assist_limits="it calls no hooks",
)
