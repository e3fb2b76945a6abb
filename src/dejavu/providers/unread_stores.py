"""Stores that are known by name and place but not read: so that no one believes all is safe.

`unread_stores(home)` names those that are there: of agents whose `Store` has no form. What they hold
is archived as it is (see `store_provider`), and read once a later version knows how. Costs a few
directory look-ups a store.
"""

from collections.abc import Iterator
from pathlib import Path

from .agent import Agent
from .protocol import Home
from .registry import agents
from .store_provider import StoreProvider


def known_unread() -> tuple[Agent, ...]:
    """The agents whose files are kept and not read."""
    return tuple(
        agent
        for agent in agents().values()
        if agent.store is not None and not agent.store.form and not agent.files
    )


def unread_stores(home: Home) -> Iterator[tuple[Agent, Path]]:
    """The stores below `home` that nothing here reads, each with a file of it."""
    for agent in known_unread():
        try:
            path = next(filter(home.holds, StoreProvider(agent).paths(home)), None)
        except OSError:
            continue  # a folder that may not be read: the walk of the final sync says so
        if path is not None:
            yield agent, path
