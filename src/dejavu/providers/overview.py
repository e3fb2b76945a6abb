"""What is known of an agent, as facts: for `dejavu doctor --agents`, doctor and the table of the documents.

Reads no session file. O(1) an agent, except what its provider costs to load.

Tested in: tests/interfaces/tui/test_first_run.py
"""

from importlib import resources
from pathlib import Path
from typing import NamedTuple

from .agent import Agent
from .protocol import Home
from .registry import PROVIDERS

_NOWHERE = Path("/home/nobody")


class Overview(NamedTuple):
    """One agent: which vectors it is read by, where its files lie, what moves them."""

    agent: Agent
    vectors: tuple[str, ...]
    folders: tuple[str, ...]
    moved_by: tuple[str, ...]


def is_read(agent: Agent) -> bool:
    """Whether turns come of its files; else they are only kept."""
    return bool(agent.files or (agent.store is not None and agent.store.form))


def vectors(agent: Agent) -> tuple[str, ...]:
    """What it is read by, the most exact first."""
    screen = resources.files("dejavu.scrapers").joinpath("agents", f"{agent.name}.toml")
    wire = (agent.base_urls or agent.base_url_override) and not agent.base_url_refusal
    given = {
        "files": is_read(agent),
        "stream": agent.stream,
        "hooks": agent.hooks,
        "otlp": agent.telemetry,
        "wire": wire,
        "screen": screen.is_file(),
    }
    return tuple(name for name, there in given.items() if there)


def overview(agent: Agent) -> Overview:
    """The facts of one agent; folders as they are in a home without variables."""
    provider = PROVIDERS.get(agent.name)
    roots = provider.roots(Home(_NOWHERE, {})) if provider else ()
    folders = tuple(f"~/{root.relative_to(_NOWHERE)}" for root in roots)
    moved = agent.moved_by
    if not moved and agent.store is not None:
        named = (agent.store.variable, "XDG_DATA_HOME" if agent.store.data else "")
        moved = tuple(name for name in named if name)
    return Overview(agent, vectors(agent), folders, moved)
