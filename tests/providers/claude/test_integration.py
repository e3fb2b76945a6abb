"""Claude Code's files."""

from tests.providers.conftest import Registered

from dejavu.integrations.launcher import launcher


def test_hooks_and_server(registered: Registered) -> None:
    files = registered("claude")
    hooks = files[".claude/settings.json"]["hooks"]
    command = f"{launcher()} hook capture --agent claude"
    assert hooks["Stop"] == [{"hooks": [{"type": "command", "command": command, "timeout": 5}]}]
    assert [group["hooks"][0]["command"].split()[2] for group in hooks["UserPromptSubmit"]] == [
        "capture",
        "inject",
    ]
    assert files[".claude.json"] == {
        "mcpServers": {"dejavu": {"type": "stdio", "command": str(launcher()), "args": ["mcp"]}}
    }


def test_its_folder_may_be_elsewhere(registered: Registered) -> None:
    assert set(registered("claude", CLAUDE_CONFIG_DIR="/c")) == {
        "/c/settings.json",
        "/c/.claude.json",
        "/c/skills/dejavu/SKILL.md",
    }
