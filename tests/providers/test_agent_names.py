import sys

import pytest

from dejavu.providers import agents
from dejavu.providers.registry import agent_of, command_of, install_hint


@pytest.mark.parametrize(
    ("argv", "agent"),
    [
        (["claude"], "claude"),
        (["/usr/local/bin/amp", "-x", "hi"], "amp"),
        (["npx", "-y", "@openai/codex@0.169.0"], "codex"),
        (["env", "FOO=1", "gemini"], "gemini"),
        (["cursor-agent"], "cursor"),
        (["./node_modules/.bin/kimi"], "kimi"),
        (["node", "/opt/qwen.js"], "qwen"),
        (["uv", "tool", "run", "aider"], "aider"),
        ([], ""),
    ],
)
def test_agents_are_told_from_command_lines(argv: list[str], agent: str) -> None:
    assert agent_of(argv) == agent


def test_demo_is_the_bundled_agent() -> None:
    assert command_of(["demo", "--speed", "9"]) == [
        sys.executable, "-EP", "-m", "dejavu.interfaces.demo", "--speed", "9",
    ]  # fmt: skip
    assert command_of(["amp"]) == ["amp"]


@pytest.mark.parametrize("agent", [name for name, one in agents().items() if one.install])
def test_known_agents_have_a_hint(agent: str) -> None:
    assert agents()[agent].install in install_hint(agent)


def test_unknown_commands_get_a_hint_too() -> None:
    assert "did you mean 'claude'?" in install_hint("clawde")
    assert "PATH" in install_hint("nothing-like-it")
