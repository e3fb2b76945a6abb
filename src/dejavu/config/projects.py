"""The project that a folder belongs to: one name for its clones and worktrees, on every machine.

`[projects]` in config.toml says it first; else the repository's remote does (`github.com/acme/shop`),
else `DEJAVU_PROJECT`, else the folder of its main worktree. A folder inside has its path behind the
name, so that `packages/api` of two clones is one project and not all of a monorepo.

Reads git's files and starts no program. A `.git/config` names the project, and can also run commands
as soon as git is used there. Only folders of this machine are looked at: what another instance calls
`/work` is not ours. `[projects]` names it, else a container's label does (`ingest.machines`). Costs a
few small files a folder.
"""

import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from dejavu.model import ConfigError, Conversation

from .files import read_regular_file
from .settings import Config, load_config, own_instance

__all__ = ["ProjectNames", "declared_project", "project_of"]

_VARIABLE = "DEJAVU_PROJECT"

_ABOVE = 40  # folders above that are looked at
_LARGEST = 1 << 20  # bytes of a git file
_LONGEST = 300  # characters of a name
_SECTION = re.compile(r'\[\s*remote\s+"([^"\n]+)"\s*\]', re.IGNORECASE)
_URL = re.compile(r"\s*url\s*=\s*(\S+)", re.IGNORECASE)
_SCHEME = re.compile(r"[a-z][a-z0-9+.-]*://(?:[^/@\s]*@)?([^/:\s]+)(?::\d*)?/(.+)", re.IGNORECASE)
_SCP = re.compile(r"(?:[^/@:\s]+@)?([^/:\s]{2,}):(?!//)(.+)")


def project_of(
    folder: str, named: Mapping[str, Sequence[str]] | None = None, *, repositories: bool = True
) -> str:
    """The project of a folder; empty where it is in no repository and nothing names it.

    named: folders by the project's name, as `[projects]` has them. repositories: whether the folder is
    of this machine, so that its repository can be looked at.
    """
    whole = _expanded(folder)
    declared = declared_project(os.environ.get(_VARIABLE, "")) if repositories else ""
    if not whole.startswith("/"):  # of another system: it is no folder below ours
        return declared
    path = Path(os.path.normpath(whole))  # links stay as they are
    for name, folders in (named or {}).items():
        for one in folders:
            if path.is_relative_to(root := Path(_expanded(one))):
                return _inside(name, root, path)
    for root in (path, *path.parents[:_ABOVE]) if repositories else ():
        if (git := _git_folder(root)) is not None:
            remote = _by_remote(git)
            main = "" if remote is None else str(git.parent if git.name == ".git" else git)
            return _inside(remote or declared or main, root, path)
    return declared


def declared_project(text: str) -> str:
    """The project that a variable or a label names: a name, or the address of a repository.

    Empty for what cannot be a name.
    """
    name = text.strip()
    name = _by_url(name) or name
    return name if name.isprintable() and len(name) <= _LONGEST else ""


class ProjectNames:
    """Names of projects by instance and workspace, each looked up once.

    declared: the projects that other machines said of themselves, by instance.
    """

    def __init__(self, declared: Mapping[str, str] | None = None) -> None:
        self._declared = declared or {}
        self._known: dict[tuple[str, str], str] = {}
        self._config: Config | None = None

    def of(self, conversation: Conversation) -> str:
        """The project of a conversation; what it says of itself where that is more."""
        place = conversation.instance, conversation.workspace
        if conversation.project:
            return conversation.project
        if place not in self._known:
            self._known[place] = self._look(*place)
        return self._known[place]

    def _look(self, instance: str, workspace: str) -> str:
        if self._config is None:
            try:
                self._config = load_config()
            except ConfigError:  # the command itself has reported it
                self._config = Config()
        named: Mapping[str, Sequence[str]] = self._config.projects
        if instance != own_instance(self._config):
            declared = self._declared.get(instance, "")
            return project_of(workspace, named, repositories=False) or declared
        return project_of(workspace, named)


def _expanded(folder: str) -> str:
    """A path with its `~`, where that is known: pathlib fails for the home of an unknown user."""
    return os.path.expanduser(folder)  # noqa: PTH111


def _inside(name: str, root: Path, path: Path) -> str:
    parts = path.relative_to(root).parts
    whole = "".join(one for one in "/".join((name, *parts)) if one.isprintable())
    return whole if name and len(whole) <= _LONGEST else ""


def _git_folder(root: Path) -> Path | None:
    """The folder that all worktrees of a repository share, where `root` is one of them."""
    git = root / ".git"
    try:
        if git.is_dir():
            return git if (git / "config").is_file() else None
        named = _text(git)
        if not named.startswith("gitdir:"):
            return None
        own = root / named.removeprefix("gitdir:").strip()
        common = own / "commondir"
        if common.is_file():
            return Path(os.path.normpath(own / _text(common).strip()))
        return own if (own / "config").is_file() else None
    except (OSError, ValueError):  # not there, not ours to read, a NUL in a name
        return None


def _by_remote(git: Path) -> str | None:
    """The name by the remote `origin`, else by the first; empty without any, None where it is unknown."""
    remotes: dict[str, str] = {}
    remote = ""
    try:
        lines = _text(git / "config").splitlines()
    except (OSError, ValueError):
        return None
    for line in lines:
        if line.lstrip().startswith("["):
            section = _SECTION.match(line.strip())
            remote = section[1] if section else ""
        elif remote and (address := _URL.match(line)):
            remotes.setdefault(remote, address[1])
    url = remotes.get("origin") or next(iter(remotes.values()), "")
    return _by_url(url)


def _by_url(url: str) -> str:
    """`github.com/acme/shop` for every way to write its address; empty for a path."""
    match = _SCHEME.fullmatch(url) or _SCP.fullmatch(url)
    if match is None or url.lower().startswith("file:"):
        return ""
    return f"{match[1]}/{match[2].strip('/').removesuffix('.git')}".lower()


def _text(path: Path) -> str:
    if path.stat().st_size > _LARGEST:
        raise ValueError(f"{path} is too long for a file of git's")
    return read_regular_file(path).decode("utf-8", "replace")
