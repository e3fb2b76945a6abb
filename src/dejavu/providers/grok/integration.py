"""Grok Build: the server in `config.toml` below `$GROK_HOME` or `~/.grok`.

Source, read in November 2026: docs.x.ai/build/features/mcp-servers.

Tested in: tests/integrations/test_registration.py
"""

from ..integration import FileEdit, Integration, TomlServer

INTEGRATION = Integration(
    folder=lambda home: home.folder("GROK_HOME", ".grok"),
    edits=(FileEdit("config.toml", (TomlServer(),)),),
    assist_limits="no hook of ours is registered with it",
)
