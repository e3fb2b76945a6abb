from pathlib import Path

from dejavu.providers import PROVIDERS, Home
from dejavu.surfaces.places import NotedHome, asked_folders


def test_every_provider_but_aider_says_where_it_looks(home: Path) -> None:
    for agent, provider in PROVIDERS.items():
        folders = asked_folders(Home(home, {}), provider)
        assert all(path.is_relative_to(home) and path != home for path in folders)
        assert folders or agent == "aider", agent


def test_variables_move_folders(home: Path, tmp_path: Path) -> None:
    moved = Home(home, {"CLAUDE_CONFIG_DIR": str(tmp_path / "moved")})
    noted = NotedHome.of(moved, "claude")
    list(PROVIDERS["claude"].discover(noted))
    assert tmp_path / "moved" in noted.asked
    assert noted.has(tmp_path / "moved" / "projects" / "a.jsonl")
    assert not noted.has(home / ".claude" / "a.jsonl")
