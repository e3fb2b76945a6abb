"""Amp: the server in `settings.json`, under the key `amp.mcpServers`; it calls no hooks.

Sources: ampcode.com/manual (settings), read in November 2026, and the schema inside the client of
January 2026.
"""

from pathlib import Path

from dejavu.providers import Home

from ..registration import Edit, json_server, server_entry


class Amp:
    """Amp."""

    agent = "amp"
    note = ""

    def folder(self, home: Home) -> Path:
        """Its configuration."""
        return home.folder("XDG_CONFIG_HOME", ".config") / "amp"

    def edits(self, home: Home) -> tuple[Edit, ...]:
        """The server."""
        servers = json_server("amp.mcpServers", server_entry())
        return (Edit(self.folder(home) / "settings.json", "MCP server", *servers),)
