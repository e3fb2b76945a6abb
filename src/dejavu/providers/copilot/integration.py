"""GitHub Copilot CLI: hooks in a file of our own, the server in `mcp-config.json`.

Both are below `$COPILOT_HOME` or `~/.copilot`; every `hooks/*.json` there is read. Nothing is
injected: what a hook answers to a prompt is dropped. Context is taken after tools; before them, too,
but a call is refused where a hook before it fails. Timeouts are seconds. Sources, read in
November 2026: docs.github.com/copilot, hooks reference and adding MCP servers; driven with 1.0.102.
"""

from ..integration import FileEdit, FlatHooks, Integration, JsonServer, Skill, server_entry
from .hooks import HOOK

INTEGRATION = Integration(
    folder=lambda home: home.folder("COPILOT_HOME", ".copilot"),
    edits=(
        FileEdit("hooks/dejavu.json", (FlatHooks(HOOK.events, "bash", {"timeoutSec": 5}),)),
        FileEdit(
            "mcp-config.json",
            (JsonServer("mcpServers", server_entry(type="local", tools=["*"])),),
        ),
        FileEdit("skills", (Skill(),)),
    ),
    assist_events=("PostToolUse", "PostToolUseFailure"),
    assist_limits="decisions are told once it has read or changed a file, nothing after a compaction",
    guard_event="PostToolUse",
    guard_limits="its own session file, which keeps the original",
)
