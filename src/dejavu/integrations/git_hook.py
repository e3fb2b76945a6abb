"""The hook of one repository that names the conversations of a commit in its message, by trailers.

Only by `dejavu init --git`, in the repository of the working folder: nothing else of ours is ever written
into one. A hook that someone else made is left alone. It never stops a commit. O(1).
"""

import os
import shlex
from pathlib import Path

from dejavu.config.git import run_git
from dejavu.model import ConfigError, NotFoundError

from .launcher import launcher

NAME = "prepare-commit-msg"
# The words by which hooks that are already in repositories are known.
_MARK = "# Déjà Vu's hook: made by `dejavu init --git`, removed by `dejavu uninstall --git`"


def hook_text() -> str:
    """What the hook is."""
    program = shlex.quote(str(launcher()))
    return (
        f"#!/bin/sh\n{_MARK}\n"
        'case "$2" in merge|squash) exit 0 ;; esac\n'
        f"[ -x {program} ] || exit 0\n"
        "limit=; command -v timeout >/dev/null 2>&1 && limit='timeout 10'\n"
        f"$limit {program} code commit 2>/dev/null | while IFS= read -r line; do\n"
        '  git interpret-trailers --in-place --if-exists addIfDifferent --trailer "$line" "$1" || break\n'
        "done\nexit 0\n"
    )


def hook_path(folder: Path) -> Path:
    """Where the hook of a folder's repository is.

    Raises:
        NotFoundError: the folder is in no repository.
        ConfigError: the repository keeps its hooks elsewhere.
    """
    common = run_git(str(folder), "rev-parse", "--path-format=absolute", "--git-common-dir")
    if common is None:
        raise NotFoundError(f"{folder} is not in a git repository (or there is no `git`)")
    own = run_git(str(folder), "config", "--get-all", "core.hooksPath") or b""
    elsewhere = [line for line in own.decode("utf-8", "replace").split("\n") if line]
    if any(path != "/dev/null" for path in elsewhere):  # that one is how we ask
        raise ConfigError(
            f"this repository keeps its hooks in {elsewhere[0]} (core.hooksPath); add there what "
            "`dejavu code commit` prints"
        )
    return Path(os.fsdecode(common).removesuffix("\n")) / "hooks" / NAME


def install(path: Path) -> bool:
    """Make the hook; False if it is there already.

    Raises:
        ConfigError: another program's hook is there.
    """
    wanted = hook_text()
    if path.is_symlink() or path.exists():
        if path.is_symlink() or _MARK not in path.read_text("utf-8", "replace"):
            raise ConfigError(
                f"{path} is another program's hook; add `dejavu code commit` to it by hand"
            )
        if path.read_text("utf-8", "replace") == wanted:
            return False
    path.parent.mkdir(exist_ok=True)
    path.write_text(wanted, "utf-8")
    path.chmod(0o755)
    return True


def remove(path: Path) -> bool:
    """Take the hook away, if it is ours."""
    if path.is_symlink() or not path.is_file() or _MARK not in path.read_text("utf-8", "replace"):
        return False
    path.unlink()
    return True
