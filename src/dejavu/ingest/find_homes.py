"""Finding the homes of agents in a tree of containers, before it is pruned.

Every home in which an agent left a session log; folders that may not be looked into are passed to
a callback. The instance is the folder's path below the root. Costs a walk of the
folders, bounded in depth; never follows links.
"""

import os
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

from dejavu.providers import PROVIDERS, Home, Provider
from dejavu.providers.registry import providers_in
from dejavu.providers.unread_stores import unread_stores

from .silent_stores import silent_stores

DEPTH = 8
"""Folders below the root that are looked at."""


def find_homes(
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
        # Without a folder that an agent may have it is no home: most begin with a dot.
        likely = any(path.name[0] == "." or path.name in _names() for path in inside)
        if likely and _is_home(home):
            yield home
            return
        deeper = False
        for path in inside if depth > 0 else ():
            for found in walk(path, depth - 1):
                deeper = True
                yield found
        # A folder above a home may be called as an agent's is: files that only look like history
        # make a home where there is no other.
        if likely and not deeper and next(silent_stores(None, home), None) is not None:
            yield home

    yield from walk(root, DEPTH)


@cache
def _names() -> frozenset[str]:
    """What is in a home, by agents' folders, and begins with no dot."""
    home = Home(Path("/home"), {})
    roots = [root for provider in PROVIDERS.values() for root in provider.roots(home)]
    names = {
        root.relative_to(home.path).parts[:1] for root in roots if root.is_relative_to(home.path)
    }
    return frozenset(name[0] for name in names if name and not name[0].startswith("."))


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
    """Whether an agent left a session log here, or history that no version reads yet."""
    # A provider without roots keeps its history in project folders, so it cannot tell a home from
    # what is above one.
    providers = [provider for provider in providers_in(home) if provider.roots(home)]
    if any(_has_session_logs(provider, home) for provider in providers):
        return True
    return next(iter(unread_stores(home)), None) is not None


def _has_session_logs(provider: Provider, home: Home) -> bool:
    try:
        return next(iter(provider.discover(home)), None) is not None
    except Exception:  # it is a home then, and the import says what failed
        return True
