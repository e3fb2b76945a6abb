"""Where providers look: what they say, and that it holds all they find."""

from pathlib import Path

import pytest

from dejavu.archive import Archive
from dejavu.ingest.sync import sync_homes
from dejavu.providers import PROVIDERS, Home, agents, search_roots
from dejavu.providers.registry import may_be_in, providers_in
from dejavu.providers.unread_stores import known_unread


def _covers(agent: str, home: Home, path: Path) -> bool:
    return any(path.is_relative_to(root) for root in search_roots(PROVIDERS[agent], home))


def test_roots_lie_below_the_home_and_are_none_only_for_project_files(home: Path) -> None:
    for agent, provider in PROVIDERS.items():
        roots = search_roots(provider, Home(home, {}))
        assert all(path.is_relative_to(home) and path != home for path in roots)
        assert roots or agent == "aider", agent


def test_every_session_that_is_found_lies_below_a_root(data: Path) -> None:
    for agent, provider in PROVIDERS.items():
        roots = provider.roots(Home(data / agent, {}))
        for source in provider.discover(Home(data / agent, {})):
            assert not roots or any(source.path.is_relative_to(root) for root in roots)


@pytest.mark.parametrize("agent", sorted({*PROVIDERS} - {agent.name for agent in known_unread()}))
@pytest.mark.fault("1.14")
def test_a_workspace_and_an_instance_that_are_named_win_over_the_files(
    agent: str, data: Path, tmp_path: Path
) -> None:
    """1.14"""
    with Archive.open(tmp_path / "archive") as archive:
        sync_homes(archive, [Home(data / agent, {}, "box-7", "/named")], agent=agent)
        summaries = list(archive.scan())
    assert summaries
    assert {(one.workspace, one.instance) for one in summaries} == {("/named", "box-7")}


@pytest.mark.parametrize("above", ["", "..", "../.."])
def test_a_home_and_what_lies_above_it_is_searched_by_nobody(above: str, home: Path) -> None:
    moved = Home(home, {"CODEX_HOME": str((home / above).resolve())})
    assert search_roots(PROVIDERS["codex"], moved) == set()


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
    moved = Home(home, {variable: str(tmp_path / "moved")})
    assert _covers(agent, moved, tmp_path / "moved" / below / "x")


def test_a_database_named_elsewhere_has_its_folder_watched(home: Path, tmp_path: Path) -> None:
    named = tmp_path / "db" / "mine.db"
    assert _covers("opencode", Home(home, {"OPENCODE_DB": str(named)}), named)


@pytest.mark.parametrize("agent", sorted(PROVIDERS))
def test_only_agents_that_left_something_are_loaded(agent: str, data: Path, home: Path) -> None:
    there = [provider.agent for provider in providers_in(Home(data / agent, {}))]
    assert agent in there
    empty = {provider.agent for provider in providers_in(Home(home, {}))}
    assert len(empty) <= 16
    assert "goose" not in empty
    moved = Home(
        home, {"DSH_HOME": "/elsewhere", "XDG_DATA_HOME": str(data / "goose/.local/share")}
    )
    assert {"dsh", "goose"} <= {provider.agent for provider in providers_in(moved)}


@pytest.mark.parametrize("agent", sorted(PROVIDERS))
def test_every_session_alone_is_reason_to_look(agent: str, data: Path, tmp_path: Path) -> None:
    sources = list(PROVIDERS[agent].discover(Home(data / agent, {})))
    for place, path in enumerate({source.path for source in sources}):
        alone = tmp_path / str(place)
        copy = alone / path.relative_to(data / agent)
        copy.parent.mkdir(parents=True)
        if not path.is_dir():
            copy.touch()
        else:
            (copy / "file").mkdir(parents=True)
            (copy / "file" / "one").touch()
        assert may_be_in(agents()[agent], Home(alone, {})), path


@pytest.mark.parametrize("agent", sorted({*PROVIDERS} - {"aider"}))
def test_empty_folders_are_no_reason_to_look(agent: str, tmp_path: Path) -> None:
    roots = PROVIDERS[agent].roots(Home(tmp_path, {}))
    for root in roots:
        root.mkdir(parents=True, exist_ok=True)
    deep = any(len(root.relative_to(tmp_path).parts) > 5 for root in roots)
    assert deep or not may_be_in(agents()[agent], Home(tmp_path, {}))
