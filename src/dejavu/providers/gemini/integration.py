"""Gemini CLI: hooks and servers in `~/.gemini/settings.json`.

Timeouts are milliseconds; hooks may have a name, which `/hooks` shows. Sources, read in November
2026: geminicli.com/docs/hooks/reference and docs/tools/mcp-server; driven with 0.61.0.
"""

from ..integration import FileEdit, HookGroups, Integration, JsonServer, Plugin, Skill, server_entry
from .hooks import HOOK

INTEGRATION = Integration(
    folder=lambda home: home.relocated("GEMINI_CLI_HOME", ".gemini"),
    edits=(
        FileEdit(
            "settings.json",
            (
                HookGroups(HOOK.events, "BeforeAgent", {"name": "dejavu", "timeout": 5000}),
                JsonServer("mcpServers", server_entry()),
            ),
        ),
        FileEdit("skills", (Skill(),)),
    ),
    assist_events=("AfterTool",),
    assist_limits="decisions are told once it has read or changed a file, nothing after a compaction",
    guard_event="AfterTool",
    guard_limits="files named with @ in a prompt; replaced results count as failed there",
    plugin=Plugin(
        manifest="gemini-extension.json",
        install="gemini extensions install FOLDER",
        root="${extensionPath}",
        hooks="hooks/hooks.json",
    ),
)
