"""Where agents keep their traces: the folders that a provider looks into.

Takes a home; gives the same home, which notes the folders it was asked for: each provider knows
its own agent's, and the variables that move them.
"""

from pathlib import Path

from dejavu.providers import Home, Provider


class NotedHome(Home):
    """A home that notes what it is asked for in `asked`; else as the one it was made from."""

    asked: set[Path]

    @classmethod
    def of(cls, home: Home) -> "NotedHome":
        """A noting copy of `home`."""
        noted = cls(home.path, home.environ, home.instance, home.workspace)
        object.__setattr__(noted, "asked", set())
        return noted

    def folder(self, variable: str | None, *default: str) -> Path:
        """As `Home.folder`."""
        path = Home.folder(self, variable, *default)
        self._note(path)
        return path

    def under(self, variable: str, *path: str) -> Path:
        """As `Home.under`."""
        folder = Home.under(self, variable, *path)
        self._note(folder)
        return folder

    def file(self, variable: str) -> Path | None:
        """As `Home.file`."""
        path = Home.file(self, variable)
        if path is not None and path.is_absolute():
            self._note(path.parent)
        return path

    def data(self, name: str) -> Path:
        """As `Home.data`."""
        path = Home.folder(self, "XDG_DATA_HOME", ".local", "share") / name
        self._note(path)
        return path

    def _note(self, path: Path) -> None:
        """Note a folder, but neither the home itself nor what lies above it."""
        if not self.path.is_relative_to(path):
            self.asked.add(path)

    def has(self, path: Path) -> bool:
        """Whether `path` lies in a folder that was asked for."""
        return path in self.asked or any(parent in self.asked for parent in path.parents)


def asked_folders(home: Home, provider: Provider) -> set[Path]:
    """The folders below `home` that a provider looks into, whether they exist or not."""
    noted = NotedHome.of(home)
    next(iter(provider.discover(noted)), None)
    return noted.asked
