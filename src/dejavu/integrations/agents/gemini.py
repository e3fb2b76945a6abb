"""Gemini CLI: hooks and servers in `~/.gemini/settings.json`.

Timeouts are milliseconds; hooks may have a name, which `/hooks` shows. Sources, read in November
2026: geminicli.com/docs/hooks/reference and docs/tools/mcp-server; driven with 0.61.0.
"""

from pathlib import Path

from dejavu.providers import Home

from ..registration import Edit, both, drop_hooks, json_hooks, json_server, server_entry
from ..skill import skill


class Gemini:
    """Gemini CLI."""

    agent = "gemini"
    note = ""

    def folder(self, home: Home) -> Path:
        """Its configuration."""
        return home.under("GEMINI_CLI_HOME", ".gemini")

    def edits(self, home: Home) -> tuple[Edit, ...]:
        """Hooks, server and skill."""
        hooks = json_hooks("gemini", "BeforeAgent", {"name": "dejavu", "timeout": 5000})
        edit = both((hooks, drop_hooks), json_server("mcpServers", server_entry()))
        return (
            Edit(self.folder(home) / "settings.json", "hooks and MCP server", *edit),
            skill(self.folder(home) / "skills"),
        )
