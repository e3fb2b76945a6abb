"""Claude Code: hooks in `settings.json`, servers of the user's scope in `.claude.json`.

`$CLAUDE_CONFIG_DIR` moves both. Timeouts are seconds. Sources, read in November 2026:
code.claude.com/docs/en/hooks and /mcp; driven with 2.1.330.
"""

from pathlib import Path

from ..integration import FileEdit, HookGroups, Integration, JsonServer, Plugin, Skill, server_entry
from ..protocol import Home
from .hooks import HOOK


def _folder(home: Home) -> Path:
    return home.folder("CLAUDE_CONFIG_DIR", ".claude")


def _state_file(home: Home) -> Path:
    moved = bool(home.environ.get("CLAUDE_CONFIG_DIR"))
    return (_folder(home) if moved else home.path) / ".claude.json"


INTEGRATION = Integration(
    folder=_folder,
    edits=(
        FileEdit("settings.json", (HookGroups(HOOK.events, "UserPromptSubmit", {"timeout": 5}),)),
        FileEdit(_state_file, (JsonServer("mcpServers", server_entry(type="stdio")),)),
        FileEdit("skills", (Skill(),)),
    ),
    assist_events=("PreToolUse", "PostToolUseFailure", "SessionStart"),
    guard_event="PostToolUse",
    guard_limits="the output of commands that fail, and files named with @ in a prompt",
    plugin=Plugin(
        manifest=".claude-plugin/plugin.json",
        install="claude plugin marketplace add FOLDER && claude plugin install dejavu@dejavu",
        fields={"author": {"name": "Déjà Vu"}},
        root="${CLAUDE_PLUGIN_ROOT}",
        hooks="hooks/hooks.json",
        servers=".mcp.json",
        catalogue=".claude-plugin/marketplace.json",
        entry={"source": "./claude"},
    ),
)
