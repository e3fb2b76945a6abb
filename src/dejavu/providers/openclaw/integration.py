"""OpenClaw: the server in `openclaw.json`, under `mcp.servers`, a skill.

The file may be JSON5; one with bare keys or single quotes is left alone. Source, read in November
2026: docs.openclaw.ai/cli/mcp and /tools/skills.

Tested in: tests/integrations/test_registration.py
"""

from ..integration import FileEdit, Integration, JsonServer, Skill, server_entry

INTEGRATION = Integration(
    folder=lambda home: home.folder("OPENCLAW_STATE_DIR", ".openclaw"),
    edits=(
        FileEdit("openclaw.json", (JsonServer(("mcp", "servers"), server_entry()),)),
        FileEdit("skills", (Skill(),)),
    ),
    assist_limits="no hook of ours is registered with it",
)
