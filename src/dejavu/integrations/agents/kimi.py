"""Kimi Code: `[[hooks]]` in `config.toml`, servers in `mcp.json`, below `$KIMI_CODE_HOME`.

A table may have `event`, `matcher`, `command` and `timeout` (seconds) only; an event that is not
known makes Kimi refuse the whole file. The same command is run once an event. Source, read in
November 2026: moonshotai.github.io/kimi-code, customization/hooks and customization/mcp.
"""

import json
from pathlib import Path

from dejavu.providers import Home
from dejavu.providers.formats.hooks import HOOKS

from ..launcher import hook_command
from ..registration import Edit, json_server, server_entry, toml_block


class Kimi:
    """Kimi Code."""

    agent = "kimi"
    note = ""

    def folder(self, home: Home) -> Path:
        """Its configuration."""
        return home.folder("KIMI_CODE_HOME", ".kimi-code")

    def edits(self, home: Home) -> tuple[Edit, ...]:
        """Hooks and server."""
        folder = self.folder(home)
        calls = [(event, hook_command("capture", "kimi")) for event in HOOKS["kimi"].events]
        calls.append(("UserPromptSubmit", hook_command("inject", "kimi")))
        block = "\n".join(
            f'[[hooks]]\nevent = "{event}"\ncommand = {json.dumps(command)}\ntimeout = 5\n'
            for event, command in calls
        )
        servers = json_server("mcpServers", server_entry())
        return (
            Edit(folder / "config.toml", "hooks", *toml_block(block)),
            Edit(folder / "mcp.json", "MCP server", *servers),
        )
