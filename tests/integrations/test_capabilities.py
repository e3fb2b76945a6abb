"""What an agent can be wired for is what its folder says."""

from pathlib import Path

import pytest

from dejavu.integrations.capabilities import MEANINGS, capabilities, is_here
from dejavu.integrations.registration import registrable_agents
from dejavu.providers import Home


def test_thirty_agents_and_more_can_be_registered_with() -> None:
    assert len(registrable_agents()) >= 30


@pytest.mark.parametrize(
    ("agent", "can"),
    [
        ("claude", ["capture", "memory", "mcp", "plugin", "skill", "guard", "assist"]),
        ("opencode", ["capture", "memory", "mcp", "plugin", "guard", "assist"]),
        ("amp", ["mcp"]),
        ("qoder", ["memory", "mcp"]),
        ("vibe", ["mcp"]),
        ("pi", ["capture", "memory", "plugin", "skill"]),
        ("aider", []),
    ],
)
def test_it_is_what_its_files_get(agent: str, can: list[str]) -> None:
    assert capabilities(agent) == can


def test_every_agent_can_something_that_has_a_meaning() -> None:
    for agent in registrable_agents():
        assert capabilities(agent)
        assert set(capabilities(agent)) <= set(MEANINGS)


def test_an_agent_is_here_by_its_folder_or_its_program(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert not is_here("droid", Home(home, {}))
    (tmp_path / "droid").touch(mode=0o755)
    assert is_here("droid", Home(home, {}))
    (home / ".kiro").mkdir()
    assert is_here("kiro", Home(home, {}))
