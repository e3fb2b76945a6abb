"""Stores that are known by name and place but not read: so that nobody is told all is safe.

`unread_stores(home)` names those that are there. `unread_stores.toml` is the list; an agent that
gets a provider leaves it. Never reads a store. Costs a few directory look-ups a store.
"""

import tomllib
from collections.abc import Iterator
from functools import cache
from importlib import resources
from pathlib import Path

import msgspec

from .protocol import Home

_EDITORS = ("Code", "Code - Insiders", "VSCodium", "Cursor", "Windsurf", "Trae", "Positron")
_USER_FOLDERS = (
    *(f".config/{name}/User" for name in _EDITORS),
    *(f"Library/Application Support/{name}/User" for name in _EDITORS),
    ".vscode-server/data/User",
)


class UnreadStore(msgspec.Struct, frozen=True):
    """One agent's store: globs below a home (`paths`), the data folder, or VS Code's user folder."""

    agent: str
    title: str
    paths: tuple[str, ...] = ()
    data: tuple[str, ...] = ()
    vscode: tuple[str, ...] = ()
    variable: str | None = None
    """The variable that names the first component of `paths`."""

    def locate(self, home: Home) -> Path | None:
        """The first file or folder of this store below `home`; None if there is none."""
        for folder, pattern in self._places(home):
            try:
                match = next(iter(folder.glob(pattern)), None)
            except OSError:
                continue  # a folder that may not be read: the walk of the final sync says so
            if match is not None:
                return match
        return None

    def _places(self, home: Home) -> Iterator[tuple[Path, str]]:
        for pattern in self.paths:
            first, _, rest = pattern.partition("/")
            yield home.folder(self.variable, first), rest
        for pattern in self.data:
            yield home.xdg_data(""), pattern
        for pattern in self.vscode:
            for editor in _USER_FOLDERS:
                if (home.path / editor).is_dir():
                    yield home.path / editor, pattern


class _File(msgspec.Struct):
    store: tuple[UnreadStore, ...]


@cache
def known_unread() -> tuple[UnreadStore, ...]:
    """The list, as the file has it."""
    text = resources.files("dejavu.providers").joinpath("unread_stores.toml").read_text("utf-8")
    return msgspec.convert(tomllib.loads(text), _File).store


def unread_stores(home: Home) -> Iterator[tuple[UnreadStore, Path]]:
    """The stores below `home` that nothing here reads, each with a file or folder of it."""
    for store in known_unread():
        path = store.locate(home)
        if path is not None:
            yield store, path
