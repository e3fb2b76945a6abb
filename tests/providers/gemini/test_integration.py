"""Gemini CLI's file."""

from tests.providers.conftest import Registered


def test_hooks_and_server_share_a_file(registered: Registered) -> None:
    settings = registered("gemini")[".gemini/settings.json"]
    assert settings["mcpServers"]["dejavu"]["args"] == ["mcp"]
    [capture, inject] = settings["hooks"]["BeforeAgent"]
    assert capture["hooks"][0]["timeout"] == 5000  # milliseconds
    assert "inject" in inject["hooks"][0]["command"]
