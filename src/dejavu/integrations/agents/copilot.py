"""GitHub Copilot CLI: hooks in a file of our own, the server in `mcp-config.json`.

Both are below `$COPILOT_HOME` or `~/.copilot`; every `hooks/*.json` there is read. Nothing is
injected: what a hook answers to a prompt is dropped. Timeouts are seconds. Sources, read in
November 2026: docs.github.com/copilot, hooks reference and adding MCP servers; driven with 1.0.102.
"""

from pathlib import Path

from dejavu.providers import Home
from dejavu.providers.formats.hooks import HOOKS

from ..flat_hooks import flat_hooks
from ..launcher import hook_command
from ..registration import SERVER, Edit, json_server, server_entry
from ..skill import skill


class Copilot:
    """GitHub Copilot CLI."""

    agent = "copilot"
    note = ""

    def folder(self, home: Home) -> Path:
        """Its configuration."""
        return home.folder("COPILOT_HOME", ".copilot")

    def edits(self, home: Home) -> tuple[Edit, ...]:
        """Hooks, server and skill."""
        folder = self.folder(home)
        entry = {"type": "command", "bash": hook_command("capture", "copilot"), "timeoutSec": 5}
        hooks = flat_hooks(dict.fromkeys(HOOKS["copilot"].events, entry), "bash")
        servers = json_server("mcpServers", server_entry(type="local", tools=["*"]))
        return (
            Edit(folder / "hooks" / f"{SERVER}.json", "hooks", *hooks),
            Edit(folder / "mcp-config.json", "MCP server", *servers),
            skill(folder / "skills"),
        )
