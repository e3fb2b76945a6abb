"""`dejavu uninstall [AGENT ...]`: remove hooks and the MCP server; `--purge`: the data too.

A file not edited since gets its bytes back; from an edited one only our entries are
removed. `--purge` asks for a phrase to be typed, and deletes what is ours by name, never a whole
folder that may hold something else.
"""

from __future__ import annotations

import shutil
import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from dejavu.archive.maintenance.old_copies import leftovers
from dejavu.config.paths import (
    archive_location,
    archive_shown,
    config_home,
    data_home,
    is_server,
    state_home,
)
from dejavu.integrations import changes, git_hook, launcher, manifest
from dejavu.integrations.registration import edits, registrable_agents
from dejavu.model import ConfigError
from dejavu.providers import Home
from dejavu.services.daemon import instance_lock

from ..command_line.logs import LOG
from ..command_line.output import one_line, print_note
from ..command_line.parameters import Option
from ..command_line.settings_changes import apply_changes, show
from ..command_line.stdio import ExitError
from .init import chosen

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..command_line.parameters import AgentNames

_PHRASE = "delete my archive"
_DATA = ("archive", "redaction.key", "bin", "install", "teams", "instance", "undeleted")
_STATE = (
    "sessions", "hooks", LOG, f"{LOG}.1", "observer.log", "indexing.lock", "screen-notice",
    "serve.token", "serve.sock", "gateway", "theme", "reading.json", "reading.lock",
    "machines", "verify-faults", "assist", "desk.json", "observers", "notes", "panes.lock", "open",
    "otlp.token", "vectors-offered", "reports.json", "reports.lock",
)  # fmt: skip

_SHELL_FILES = (
    ".bashrc", ".zshrc", ".bash_completions/dejavu.sh", ".zfunc/_dejavu",
    ".config/fish/config.fish", ".config/fish/completions/dejavu.fish",
)  # fmt: skip
"""Where `--install-completion` writes, and people put `shell-init`. They are theirs to edit."""


def command(
    agents: AgentNames = None,
    purge: Annotated[
        bool, Option("--purge", help="Delete the archive and all state as well.")
    ] = False,
    git: Annotated[
        bool, Option("--git", help="Only: remove the hook of this folder's repository.")
    ] = False,
    dry_run: Annotated[bool, Option("--dry-run", help="Show the changes and make none.")] = False,
) -> None:
    """Remove hooks and MCP server from agents."""
    if git:
        path = git_hook.hook_path(Path.cwd())
        if dry_run:
            print(f"removes {one_line(str(path))}, if it is ours")
        elif not git_hook.remove(path):
            print("nothing was registered")
        return
    home = Home.own()
    names = chosen(agents) or registrable_agents()
    planned = [change for name in names for change in changes.plan_remove(name, edits(name, home))]
    show(planned)
    if dry_run:
        return
    if purge:
        _confirm()
    apply_changes([change for change in planned if not change.refused], changes.revert)
    if not manifest.records():
        instance_lock.stop()
        _remove_launcher()
    if purge:
        _purge()
    elif not any(change.needed for change in planned):
        print("nothing was registered")
    else:
        print(f"stays    {one_line(archive_shown())}; `dejavu uninstall --purge` deletes it")
    if any(change.refused for change in planned):
        raise ExitError(1)


def _remove_launcher() -> None:
    launcher.launcher().unlink(missing_ok=True)
    for folder in (launcher.launcher().parent, data_home()):
        if folder.is_dir() and not any(folder.iterdir()):
            folder.rmdir()


def _confirm() -> None:
    """Raise ConfigError unless the phrase is typed."""
    print(f"This deletes the archive ({one_line(archive_shown())}) and everything captured.")
    print(f"Type `{_PHRASE}` to continue: ", end="", flush=True)
    if sys.stdin.readline().strip() != _PHRASE:
        raise ConfigError("nothing was deleted")


def _purge() -> None:
    instance_lock.stop()
    location, deleted = archive_location(), "everything captured"
    paths = [data_home() / name for name in _DATA] + [state_home() / name for name in _STATE]
    if is_server(location):
        print_note(
            f"the archive at {one_line(archive_shown())} is on a server: ask its administrator"
        )
    elif (Path(location) / "archive.json").is_file():
        deleted = f"{one_line(archive_shown())} and {deleted}"
        paths.append(Path(location))
        paths += leftovers(Path(location))
    for path in paths:
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)
    for folder in (data_home(), state_home()):
        remaining = sorted(folder.iterdir()) if folder.is_dir() else []
        for path in remaining:
            print_note(f"not deleted: {one_line(str(path))}")
        if folder.is_dir() and not remaining:
            folder.rmdir()
    print(f"deleted  {deleted}")
    for stays in _staying():
        print(f"stays    {one_line(stays)}")


def _staying() -> Iterator[str]:
    """What is ours and yet not deleted: the person's settings, and lines in the shell's files."""
    if config_home().is_dir():
        yield f"{config_home()} (your settings)"
    for name in _SHELL_FILES:
        path = Path.home() / name
        with suppress(OSError):
            if "dejavu" in path.read_text(errors="replace"):
                yield f"{path} (completion, or functions for agents)"
