"""Codex's files."""

from tests.providers.conftest import Registered

from dejavu.integrations.launcher import launcher
from dejavu.providers import INTEGRATIONS


def test_hooks_and_server(registered: Registered) -> None:
    files = registered("codex")
    assert list(files[".codex/hooks.json"]) == ["hooks"]  # another key, and Codex refuses the file
    assert "UserPromptSubmit" in files[".codex/hooks.json"]["hooks"]
    assert files[".codex/config.toml"]["mcp_servers"]["dejavu"] == {
        "command": str(launcher()),
        "args": ["mcp"],
    }
    files = {"/c/hooks.json", "/c/config.toml", "/c/skills/dejavu/SKILL.md"}
    assert set(registered("codex", CODEX_HOME="/c")) == files


def test_the_command_names_no_version(registered: Registered) -> None:
    # Codex trusts a hook by its hash: what is written here is written for good.
    hooks = registered("codex")[".codex/hooks.json"]["hooks"]
    assert hooks["Stop"][0]["hooks"][0] == {
        "type": "command",
        "command": f"{launcher()} hook capture --agent codex",
        "timeout": 5,
    }
    assert "/hooks" in INTEGRATIONS["codex"].note
