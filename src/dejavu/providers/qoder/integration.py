"""Qoder CLI: the memory's hook and the server in `~/.qoder/settings.json`.

Hooks have Claude Code's form; what the prompt hook prints becomes context. Timeouts are seconds.
Source, read in November 2026: docs.qoder.com/cli/hooks, /cli/mcp-servers and /cli/settings-reference.

Tested in: tests/integrations/test_registration.py
"""

from ..integration import FileEdit, HookGroups, Integration, JsonServer, server_entry

INTEGRATION = Integration(
    folder=lambda home: home.path / ".qoder",
    edits=(
        FileEdit(
            "settings.json",
            (
                HookGroups((), "UserPromptSubmit", {"timeout": 5}),
                JsonServer("mcpServers", server_entry()),
            ),
        ),
    ),
    assist_limits="only its prompt hook is registered",
)
