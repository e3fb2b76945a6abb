"""Finding the homes of agents in a tree of containers, before it is pruned.

Takes a folder; gives every home below it in which an agent left a trace. The instance is the
folder's path below the root. Costs a walk of the folders, bounded in depth; never follows links.
"""

import os
from collections.abc import Iterator
from pathlib import Path

from dejavu.providers import PROVIDERS, Home

_ANYWHERE = "aider"
"""Keeps its history in project folders, so it cannot tell a home from what lies above one."""

DEPTH = 8
"""Folders below the root that are looked at."""


def homes_below(root: Path, workspace: str | None = None) -> Iterator[Home]:
    """Every home below `root`, the root itself included; below a home no other is looked for."""
    yield from _walk(root, root, workspace, DEPTH)


def _walk(root: Path, folder: Path, workspace: str | None, depth: int) -> Iterator[Home]:
    name = str(folder.relative_to(root)) if folder != root else root.name
    home = Home(folder, {}, name, workspace)
    if _hidden(folder) and any(
        _has_traces(home, agent) for agent in PROVIDERS if agent != _ANYWHERE
    ):
        yield home
        return
    if depth == 0:
        return
    for path in _folders(folder):
        yield from _walk(root, path, workspace, depth - 1)


def _folders(folder: Path) -> list[Path]:
    """The folders in `folder`, links left out; none where it may not be read."""
    try:
        with os.scandir(folder) as entries:
            found = [entry.path for entry in entries if entry.is_dir(follow_symlinks=False)]
    except OSError:
        return []
    return [Path(path) for path in sorted(found)]


def _hidden(folder: Path) -> bool:
    """Whether a folder could be a home at all: agents' folders begin with a dot."""
    return any(path.name.startswith(".") for path in _folders(folder))


def _has_traces(home: Home, agent: str) -> bool:
    return next(iter(PROVIDERS[agent].discover(home)), None) is not None
