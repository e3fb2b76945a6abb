"""Cursor, its command line agent and its editor: the server in `~/.cursor/mcp.json`, a skill.

Hooks are not registered: none of them takes context with a prompt. Source, read in November 2026:
cursor.com/docs (MCP, skills).

Tested in: tests/integrations/test_registration.py
"""

from ..integration import FileEdit, Integration, JsonServer, Skill, server_entry

INTEGRATION = Integration(
    folder=lambda home: home.path / ".cursor",
    edits=(
        FileEdit("mcp.json", (JsonServer("mcpServers", server_entry(type="stdio")),)),
        FileEdit("skills", (Skill(),)),
    ),
    assist_limits="no hook of ours is registered with it",
)
