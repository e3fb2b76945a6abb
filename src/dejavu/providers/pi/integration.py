"""Pi: a skill in `~/.pi/agent/skills`; it has no MCP, and its hooks are programs in its own form.

Source, read in November 2026: the documentation of skills and extensions inside 0.73.1.

Tested in: tests/integrations/test_registration.py
"""

from ..integration import FileEdit, Integration, Plugin, Skill

INTEGRATION = Integration(
    folder=lambda home: home.folder("PI_CODING_AGENT_DIR", ".pi", "agent"),
    edits=(FileEdit("skills", (Skill(),)),),
    assist_limits="it calls no hooks",
    plugin=Plugin(
        manifest="package.json",
        install="pi install FOLDER",
        fields={"keywords": ["pi-package"], "pi": {"skills": ["./skills"]}},
        servers="-",
    ),
)
