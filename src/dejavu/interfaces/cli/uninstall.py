"""`dejavu uninstall [AGENT ...]`: take hooks and MCP server out again; `--purge`: the data too.

A file that nobody touched since gets its bytes back; from one that somebody changed, only our
entries go. `--purge` asks for a word to be typed, and removes what is ours by name, never a whole
folder that may hold something else.
"""

import shutil
import sys
from pathlib import Path
from typing import Annotated

import typer

from dejavu.config.paths import archive_location, archive_shown, data_home, state_home
from dejavu.integrations import changes, launcher, manifest
from dejavu.integrations.registration import edits, registrable_agents
from dejavu.model import ConfigError
from dejavu.providers import Home
from dejavu.services.daemon import instance_lock as single

from .init import Agents, chosen, do, show
from .output import line, note

_WORD = "delete my archive"
_DATA = ("archive", "redaction.key", "bin", "install", "teams", "instance")
_STATE = ("sessions", "hooks")


def command(
    agents: Agents = None,
    purge: Annotated[
        bool, typer.Option("--purge", help="Remove the archive and all state, too.")
    ] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show what would change, and change nothing.")
    ] = False,
) -> None:
    """Take Déjà Vu out of your agents' configurations."""
    home = Home.own()
    names = chosen(agents) or registrable_agents()
    planned = [change for name in names for change in changes.plan_remove(name, edits(name, home))]
    show(planned)
    if dry_run:
        return
    if purge:
        _confirm()
    do([change for change in planned if not change.refused], changes.revert)
    if not manifest.records():
        single.stop()
        _remove_launcher()
    if purge:
        _purge()
    elif not any(change.needed for change in planned):
        print("nothing of ours was registered")
    if any(change.refused for change in planned):
        raise typer.Exit(1)


def _remove_launcher() -> None:
    launcher.launcher().unlink(missing_ok=True)
    for folder in (launcher.launcher().parent, data_home()):
        if folder.is_dir() and not any(folder.iterdir()):
            folder.rmdir()


def _confirm() -> None:
    """Have the word typed.

    Raises:
        ConfigError: it was not.
    """
    print(f"This removes the archive ({line(archive_shown())}) and all that was captured.")
    print(f"Type `{_WORD}` to go on: ", end="", flush=True)
    if sys.stdin.readline().strip() != _WORD:
        raise ConfigError("nothing was removed")


def _purge() -> None:
    single.stop()
    location = archive_location()
    places = [data_home() / name for name in _DATA] + [state_home() / name for name in _STATE]
    if "://" in location:
        note(f"the archive at {line(archive_shown())} is a server's: ask its keeper")
    elif (Path(location) / "archive.json").is_file():
        places.append(Path(location))
    for place in places:
        if place.is_dir() and not place.is_symlink():
            shutil.rmtree(place)
        else:
            place.unlink(missing_ok=True)
    for folder in (data_home(), state_home()):
        left = sorted(folder.iterdir()) if folder.is_dir() else []
        for path in left:
            note(f"left: {line(str(path))}")
        if folder.is_dir() and not left:
            folder.rmdir()
