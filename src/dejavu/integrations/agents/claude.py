"""Claude Code: hooks in `settings.json`, servers of the user's scope in `.claude.json`.

`$CLAUDE_CONFIG_DIR` moves both. Timeouts are seconds. Sources, read in November 2026:
code.claude.com/docs/en/hooks and /mcp; driven with 2.1.330.
"""

from pathlib import Path

from dejavu.providers import Home

from ..registration import Edit, drop_hooks, json_hooks, json_server, server_entry
from ..skill import skill


class Claude:
    """Claude Code."""

    agent = "claude"
    note = ""

    def folder(self, home: Home) -> Path:
        """Its configuration."""
        return home.folder("CLAUDE_CONFIG_DIR", ".claude")

    def edits(self, home: Home) -> tuple[Edit, ...]:
        """Hooks, server and skill."""
        folder = self.folder(home)
        moved = bool(home.environ.get("CLAUDE_CONFIG_DIR"))
        state = (folder if moved else home.path) / ".claude.json"
        hooks = json_hooks("claude", "UserPromptSubmit", {"timeout": 5})
        servers = json_server("mcpServers", server_entry(type="stdio"))
        return (
            Edit(folder / "settings.json", "hooks", hooks, drop_hooks),
            Edit(state, "MCP server", *servers),
            skill(folder / "skills"),
        )
