"""Qwen Code: hooks and servers in `~/.qwen/settings.json`.

Timeouts are seconds since 0.24, milliseconds before; 1000 and more are milliseconds in both.
Sources, read in November 2026: qwenlm.github.io/qwen-code-docs (hooks, mcp) and the copy of the
documentation inside 0.24.4. That an extension may bring `hooks/hooks.json`, with the plugin's folder
as CLAUDE_PLUGIN_ROOT, is seen in 0.24.4 itself.
"""

from ..integration import FileEdit, HookGroups, Integration, JsonServer, Plugin, server_entry
from .hooks import HOOK

INTEGRATION = Integration(
    folder=lambda home: home.folder("QWEN_HOME", ".qwen"),
    edits=(
        FileEdit(
            "settings.json",
            (
                HookGroups(HOOK.events, "UserPromptSubmit", {"name": "dejavu", "timeout": 5000}),
                JsonServer("mcpServers", server_entry()),
            ),
        ),
    ),
    assist_events=("PostToolUse", "PostToolUseFailure", "SessionStart"),
    assist_limits="decisions are told once it has read or changed a file",
    guard_event="PostToolUse",
    guard_limits="the output of tools that fail; replaced results count as failed there",
    plugin=Plugin(
        manifest="qwen-extension.json",
        install="qwen extensions install FOLDER",
        root="${CLAUDE_PLUGIN_ROOT}",
        hooks="hooks/hooks.json",
    ),
)
