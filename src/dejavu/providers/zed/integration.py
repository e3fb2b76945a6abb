"""Zed: the server in `~/.config/zed/settings.json`, under `context_servers`.

Source, read in November 2026: zed.dev/docs/ai/mcp.

Tested in: tests/integrations/test_registration.py
"""

from ..integration import FileEdit, Integration, JsonServer, server_entry

INTEGRATION = Integration(
    folder=lambda home: home.folder("XDG_CONFIG_HOME", ".config") / "zed",
    edits=(
        FileEdit(
            "settings.json",
            (JsonServer("context_servers", server_entry(source="custom")),),
        ),
    ),
    assist_limits="it calls no hooks",
)
