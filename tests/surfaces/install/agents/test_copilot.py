"""Copilot CLI's file."""

from .conftest import Registered


def test_the_server(registered: Registered) -> None:
    [server] = registered("copilot")[".copilot/mcp-config.json"]["mcpServers"].values()
    assert (server["type"], server["tools"]) == ("local", ["*"])
