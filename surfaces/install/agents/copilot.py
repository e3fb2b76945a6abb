"""GitHub Copilot CLI: the server in `mcp-config.json`, below `$COPILOT_HOME` or `~/.copilot`.

Its hooks are a project's (`.github/hooks/`), not a user's, so none are registered. Source, read
in November 2026: docs.github.com/copilot, Copilot CLI, adding MCP servers.
"""

from pathlib import Path

from dejavu.providers import Home

from ..api import Edit, json_server, server_entry


class Copilot:
    """GitHub Copilot CLI."""

    agent = "copilot"
    note = ""

    def folder(self, home: Home) -> Path:
        """Its configuration."""
        return home.folder("COPILOT_HOME", ".copilot")

    def edits(self, home: Home) -> tuple[Edit, ...]:
        """The server."""
        servers = json_server("mcpServers", server_entry(type="local", tools=["*"]))
        return (Edit(self.folder(home) / "mcp-config.json", "MCP server", *servers),)
