"""Crush: the server in `~/.config/crush/crush.json`, under `mcp`.

It prefers `crushrc`, a shell script, and still reads the JSON next to it. Source, read in November
2026: docs/config in its repository.

Tested in: tests/integrations/test_registration.py
"""

from ..integration import FileEdit, Integration, JsonServer, server_entry

INTEGRATION = Integration(
    folder=lambda home: home.folder("XDG_CONFIG_HOME", ".config") / "crush",
    edits=(FileEdit("crush.json", (JsonServer("mcp", server_entry(type="stdio")),)),),
    note="Crush warns where it finds a crushrc next to crush.json; it reads both",
    assist_limits="no hook of ours is registered with it",
)
