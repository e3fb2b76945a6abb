"""Windsurf: the server in `~/.codeium/windsurf/mcp_config.json`, a skill.

Source, read in November 2026: docs.windsurf.com/windsurf/cascade/mcp and /skills.

Tested in: tests/integrations/test_registration.py
"""

from ..integration import FileEdit, Integration, JsonServer, Skill, server_entry

INTEGRATION = Integration(
    folder=lambda home: home.path / ".codeium" / "windsurf",
    edits=(
        FileEdit("mcp_config.json", (JsonServer("mcpServers", server_entry()),)),
        FileEdit("skills", (Skill(),)),
    ),
    assist_limits="no hook of ours is registered with it",
)
