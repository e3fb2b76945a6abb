"""Qwen Code: hooks and servers in `~/.qwen/settings.json`.

Timeouts are seconds since 0.24, milliseconds before; 1000 and more are milliseconds in both.
Sources, read in November 2026: qwenlm.github.io/qwen-code-docs (hooks, mcp) and the copy of the
documentation inside 0.24.4.
"""

from pathlib import Path

from dejavu.providers import Home

from ..registration import Edit, both, drop_hooks, json_hooks, json_server, server_entry


class Qwen:
    """Qwen Code."""

    agent = "qwen"
    note = ""

    def folder(self, home: Home) -> Path:
        """Its configuration."""
        return home.folder("QWEN_HOME", ".qwen")

    def edits(self, home: Home) -> tuple[Edit, ...]:
        """Hooks and server."""
        hooks = json_hooks("qwen", "UserPromptSubmit", {"name": "dejavu", "timeout": 5000})
        edit = both((hooks, drop_hooks), json_server("mcpServers", server_entry()))
        return (Edit(self.folder(home) / "settings.json", "hooks and MCP server", *edit),)
