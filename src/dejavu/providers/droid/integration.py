"""Droid (Factory): the server in `~/.factory/mcp.json`, the memory's hook in `settings.json`, a skill.

Hooks have Claude Code's form; timeouts are seconds. Source, read in November 2026:
docs.factory.ai/reference/hooks-reference, /harness/hooks and /cli/configuration/mcp.

Tested in: tests/integrations/test_registration.py
"""

from ..integration import FileEdit, HookGroups, Integration, JsonServer, Skill, server_entry

INTEGRATION = Integration(
    folder=lambda home: home.relocated("FACTORY_HOME_OVERRIDE", ".factory"),
    edits=(
        FileEdit("settings.json", (HookGroups((), "UserPromptSubmit", {"timeout": 5}),)),
        FileEdit("mcp.json", (JsonServer("mcpServers", server_entry(type="stdio")),)),
        FileEdit("skills", (Skill(),)),
    ),
    note="Droid reads hooks in settings.json only where ~/.factory has no hooks.json",
    assist_limits="only its prompt hook is registered",
)
