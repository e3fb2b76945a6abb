"""Kimi Code's files."""

from tests.providers.conftest import Registered

from dejavu.integrations.launcher import launcher
from dejavu.providers import HOOKS


def test_hooks_and_server(registered: Registered) -> None:
    files = registered("kimi")
    hooks = files[".kimi-code/config.toml"]["hooks"]
    assert {hook["event"] for hook in hooks} == set(HOOKS["kimi"].events)
    assert all(set(hook) == {"event", "command", "timeout"} for hook in hooks)
    assert files[".kimi-code/mcp.json"]["mcpServers"]["dejavu"]["command"] == str(launcher())
    assert "/k/config.toml" in registered("kimi", KIMI_CODE_HOME="/k")
