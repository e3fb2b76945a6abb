"""Mistral Vibe: the server as an item of `[[mcp_servers]]` in `config.toml`.

A server without `transport` makes Vibe refuse the whole file. Source, read in November 2026:
docs.mistral.ai, Vibe's configuration.

Tested in: tests/integrations/test_registration.py
"""

from ..integration import FileEdit, Integration, TomlServer

INTEGRATION = Integration(
    folder=lambda home: home.folder("VIBE_HOME", ".vibe"),
    edits=(FileEdit("config.toml", (TomlServer({"transport": "stdio"}),)),),
    assist_limits="no hook of ours is registered with it",
)
