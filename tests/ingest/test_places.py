from pathlib import Path

import pytest

from dejavu.ingest.places import NotedHome, asked_folders
from dejavu.providers import PROVIDERS, Home


def test_every_provider_but_aider_says_where_it_looks(home: Path) -> None:
    for agent, provider in PROVIDERS.items():
        folders = asked_folders(Home(home, {}), provider)
        assert all(path.is_relative_to(home) and path != home for path in folders)
        assert folders or agent == "aider", agent


def test_variables_move_folders(home: Path, tmp_path: Path) -> None:
    moved = Home(home, {"CLAUDE_CONFIG_DIR": str(tmp_path / "moved")})
    noted = NotedHome.of(moved)
    list(PROVIDERS["claude"].discover(noted))
    assert tmp_path / "moved" in noted.asked
    assert noted.has(tmp_path / "moved" / "projects" / "a.jsonl")
    assert not noted.has(home / ".claude" / "a.jsonl")


@pytest.mark.parametrize(
    ("agent", "variable", "below"),
    [
        ("claude", "CLAUDE_CONFIG_DIR", "projects"),
        ("cline", "CLINE_DIR", "data/sessions"),
        ("cline", "CLINE_DATA_DIR", "sessions"),
        ("cline", "CLINE_SESSION_DATA_DIR", "s"),
        ("codex", "CODEX_HOME", "sessions"),
        ("copilot", "COPILOT_HOME", "session-state"),
        ("cursor", "CURSOR_DATA_DIR", "projects"),
        ("droid", "FACTORY_HOME_OVERRIDE", ".factory/sessions"),
        ("antigravity", "GEMINI_CLI_HOME", ".gemini/antigravity-cli/brain"),
        ("gemini", "GEMINI_CLI_HOME", ".gemini/tmp"),
        ("kimi", "KIMI_CODE_HOME", "sessions"),
        ("kimi-cli", "KIMI_SHARE_DIR", "sessions"),
        ("opencode", "XDG_DATA_HOME", "opencode"),
        ("pi", "PI_CODING_AGENT_DIR", "sessions"),
        ("pi", "PI_CODING_AGENT_SESSION_DIR", "project"),
        ("qwen", "QWEN_HOME", "projects"),
        ("qwen", "QWEN_RUNTIME_DIR", "projects"),
    ],
)
def test_each_agents_own_variable_moves_its_folder(
    agent: str, variable: str, below: str, home: Path, tmp_path: Path
) -> None:
    noted = NotedHome.of(Home(home, {variable: str(tmp_path / "moved")}))
    list(PROVIDERS[agent].discover(noted))
    assert noted.has(tmp_path / "moved" / below / "x")


def test_a_database_named_elsewhere_has_its_folder_watched(home: Path, tmp_path: Path) -> None:
    named = tmp_path / "db" / "mine.db"
    noted = NotedHome.of(Home(home, {"OPENCODE_DB": str(named)}))
    list(PROVIDERS["opencode"].discover(noted))
    assert noted.has(named)
