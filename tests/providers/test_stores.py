"""Agents that are data alone."""

from pathlib import Path

from dejavu.providers import PROVIDERS, registry
from dejavu.providers.registry import stored_agents


def test_each_is_listed_and_has_no_folder() -> None:
    folders = Path(registry.__file__).parent
    for folder, agent in stored_agents().items():
        assert folder in registry.FOLDERS
        assert registry.find_agent(agent.name) is agent
        assert not (folders / folder / "__init__.py").exists()


def test_their_stores_are_read() -> None:
    for agent in stored_agents().values():
        assert agent.store is not None
        assert agent.title
        assert not agent.observed
        assert agent.name in PROVIDERS
