"""Copilot CLI's files."""

from tests.providers.conftest import Registered

from dejavu.integrations.launcher import is_ours


def test_the_server(registered: Registered) -> None:
    [server] = registered("copilot")[".copilot/mcp-config.json"]["mcpServers"].values()
    assert (server["type"], server["tools"]) == ("local", ["*"])


def test_the_hooks_stand_in_a_file_of_our_own(registered: Registered) -> None:
    hooks = registered("copilot")[".copilot/hooks/dejavu.json"]
    assert hooks["version"] == 1
    assert "PreToolUse" not in hooks["hooks"]
    for (entry,) in hooks["hooks"].values():
        assert is_ours(entry["bash"])
        assert entry["bash"].endswith("hook capture --agent copilot")
