"""Codex: hooks in `hooks.json`, servers in `config.toml`, both below `$CODEX_HOME` or `~/.codex`.

A hook that Codex has not seen is skipped until the user trusts it, and is trusted by the hash of
its definition: so the command never changes, and the user is told to approve it. The root of
`hooks.json` may hold `hooks` and `description` only. Timeouts are seconds. Sources, read in
November 2026: developers.openai.com/codex/hooks and /mcp; driven with 0.169.0.
"""

import json
from pathlib import Path

from dejavu.providers import Home

from ..launcher import launcher
from ..registration import Edit, drop_hooks, json_hooks, toml_block
from ..skill import skill


class Codex:
    """Codex."""

    agent = "codex"
    note = "Codex runs new hooks only once you approve them: open /hooks in Codex and trust them"

    def folder(self, home: Home) -> Path:
        """Its configuration."""
        return home.folder("CODEX_HOME", ".codex")

    def edits(self, home: Home) -> tuple[Edit, ...]:
        """Hooks, server and skill."""
        folder = self.folder(home)
        # Every string that JSON writes in ASCII is a basic string of TOML, too.
        server = f'[mcp_servers.dejavu]\ncommand = {json.dumps(str(launcher()))}\nargs = ["mcp"]'
        hooks = json_hooks("codex", "UserPromptSubmit", {"timeout": 5})
        return (
            Edit(folder / "hooks.json", "hooks", hooks, drop_hooks),
            Edit(folder / "config.toml", "MCP server", *toml_block(server)),
            skill(folder / "skills"),
        )
