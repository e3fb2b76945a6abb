"""Qwen Code's file."""

from tests.providers.conftest import Registered


def test_hooks_and_server_share_a_file(registered: Registered) -> None:
    settings = registered("qwen")[".qwen/settings.json"]
    assert settings["mcpServers"]["dejavu"]["args"] == ["mcp"]
    [capture, _] = settings["hooks"]["UserPromptSubmit"]
    assert capture["hooks"][0]["timeout"] >= 1000  # milliseconds to old and new versions
