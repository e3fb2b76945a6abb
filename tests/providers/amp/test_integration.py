"""Amp's file."""

from tests.providers.conftest import Registered


def test_the_server(registered: Registered) -> None:
    files = registered("amp")
    assert files[".config/amp/settings.json"]["amp.mcpServers"]["dejavu"]["args"] == ["mcp"]
    assert set(registered("amp", XDG_CONFIG_HOME="/x")) == {"/x/amp/settings.json"}
