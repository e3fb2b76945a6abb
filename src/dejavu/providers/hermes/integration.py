"""Hermes: the server in `config.yaml` below `$HERMES_HOME` or `~/.hermes`, under `mcp_servers`.

Source, read in November 2026: hermes-agent.nousresearch.com/docs, MCP configuration reference.

Tested in: tests/integrations/test_registration.py
"""

from ..integration import FileEdit, Integration, YamlServer, server_entry

INTEGRATION = Integration(
    folder=lambda home: home.folder("HERMES_HOME", ".hermes"),
    edits=(FileEdit("config.yaml", (YamlServer("mcp_servers", server_entry()),)),),
    assist_limits="no hook of ours is registered with it",
)
