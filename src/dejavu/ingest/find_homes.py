"""Finding the homes of agents in a tree of containers, before it is pruned.

Takes a folder; gives every home below it in which an agent left a trace, and tells of folders that
may not be looked into. The instance is the folder's path below the root. Costs a walk of the
folders, bounded in depth; never follows links.
"""

import os
from collections.abc import Callable, Iterator
from pathlib import Path

from dejavu.providers import PROVIDERS, Home

DEPTH = 8
"""Folders below the root that are looked at."""


def homes_below(
    root: Path,
    workspace: str | None = None,
    *,
    closed: Callable[[OSError], object] = lambda _: None,
) -> Iterator[Home]:
    """Every home below `root`, the root itself included; below a home no other is looked for."""

    def walk(folder: Path, depth: int) -> Iterator[Home]:
        inside = _folders(folder, closed)
        name = str(folder.relative_to(root)) if folder != root else root.name
        home = Home(folder, {}, name, workspace)
        # Agents' folders begin with a dot: without one it is no home.
        if any(path.name.startswith(".") for path in inside) and _is_home(home):
            yield home
        elif depth > 0:
            for path in inside:
                yield from walk(path, depth - 1)

    yield from walk(root, DEPTH)


def _folders(folder: Path, closed: Callable[[OSError], object]) -> list[Path]:
    """The folders in `folder`, links left out; none where it may not be read."""
    try:
        with os.scandir(folder) as entries:
            found = [entry.path for entry in entries if entry.is_dir(follow_symlinks=False)]
    except OSError as error:
        closed(error)
        return []
    return [Path(path) for path in sorted(found)]


def _is_home(home: Home) -> bool:
    """Whether an agent left a trace here."""
    # A provider without roots keeps its history in project folders, so it cannot tell a home from
    # what lies above one.
    providers = (provider for provider in PROVIDERS.values() if provider.roots(home))
    return any(next(iter(provider.discover(home)), None) is not None for provider in providers)
