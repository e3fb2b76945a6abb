"""Codex: hooks in `hooks.json`, servers in `config.toml`, both below `$CODEX_HOME` or `~/.codex`.

A hook that Codex has not seen is skipped until the user trusts it, and is trusted by the hash of
its definition: so the command never changes, and the user is asked to approve it. The root of
`hooks.json` may hold `hooks` and `description` only. Timeouts are seconds. Sources, read in
November 2026: developers.openai.com/codex/hooks and /mcp; driven with 0.169.0.
"""

from ..integration import FileEdit, HookGroups, Integration, Plugin, Skill, TomlServer
from .hooks import HOOK

INTEGRATION = Integration(
    folder=lambda home: home.folder("CODEX_HOME", ".codex"),
    edits=(
        FileEdit("hooks.json", (HookGroups(HOOK.events, "UserPromptSubmit", {"timeout": 5}),)),
        FileEdit("config.toml", (TomlServer(),)),
        FileEdit("skills", (Skill(),)),
    ),
    note="Codex runs new hooks only once you approve them: open /hooks in Codex and trust them",
    assist_events=("PreToolUse", "PostToolUse", "SessionStart"),
    assist_limits="failures are known by what the command printed, its exit code is not told",
    guard_event="PostToolUse",
    guard_limits="its own session file and history, which keep the original",
    plugin=Plugin(
        manifest=".codex-plugin/plugin.json",
        install="codex plugin marketplace add FOLDER && codex plugin add dejavu@dejavu",
        fields={
            "skills": "./skills/",
            "mcpServers": "./.mcp.json",
            "hooks": "./hooks/hooks.json",
        },
        root="${PLUGIN_ROOT}",
        hooks="hooks/hooks.json",
        servers=".mcp.json",
        catalogue=".agents/plugins/marketplace.json",
        entry={
            "source": {"source": "local", "path": "./codex"},
            "policy": {"installation": "AVAILABLE", "authentication": "ON_INSTALL"},
            "category": "Productivity",
        },
    ),
)
