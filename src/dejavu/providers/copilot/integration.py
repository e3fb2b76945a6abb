"""GitHub Copilot CLI: hooks in a file of our own, the server in `mcp-config.json`.

Both are below `$COPILOT_HOME` or `~/.copilot`; every `hooks/*.json` there is read. Nothing is
injected: what a hook answers to a prompt is dropped. Timeouts are seconds. Sources, read in
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
    guard_event="PostToolUse",
    guard_limits="its own session file, which keeps the original",
)
