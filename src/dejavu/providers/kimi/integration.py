"""Kimi Code: `[[hooks]]` in `config.toml`, servers in `mcp.json`, below `$KIMI_CODE_HOME`.

A table may have `event`, `matcher`, `command` and `timeout` (seconds) only; an event that is not
known makes Kimi refuse the whole file. The same command is run once an event. Source, read in
November 2026: moonshotai.github.io/kimi-code, customization/hooks and customization/mcp.
"""

from ..integration import FileEdit, Integration, JsonServer, Plugin, TomlHooks, server_entry
from .hooks import HOOK

INTEGRATION = Integration(
    folder=lambda home: home.folder("KIMI_CODE_HOME", ".kimi-code"),
    edits=(
        FileEdit("config.toml", (TomlHooks(HOOK.events, "UserPromptSubmit", timeout=5),)),
        FileEdit("mcp.json", (JsonServer("mcpServers", server_entry()),)),
    ),
    assist_limits="its hooks take context with a prompt only (2.1.0)",
    plugin=Plugin(
        manifest="kimi.plugin.json",
        install="/plugins install FOLDER",
        fields={"skills": "./skills/"},
        hooks="*",
    ),
)
