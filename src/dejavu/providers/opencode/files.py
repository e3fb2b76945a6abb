"""OpenCode: sessions in a SQLite database, or in the trees of JSON files before it.

Reads `${XDG_DATA_HOME:-~/.local/share}/opencode`, and the database that `OPENCODE_DB` names, if it
is elsewhere: one source a session, merged by id over all stores (see `follow.session_database`).
Others took its form over: they say their names and the folder's.
"""

from pathlib import Path

from ..follow.session_database import SessionDatabase
from ..follow.session_store import Store
from ..follow.sqlite import columns, reading
from ..protocol import Home
from .parser import OpenCodeParser
from .stores import stores


class OpenCode(SessionDatabase):
    """Provider of `$XDG_DATA_HOME/opencode`."""

    agent = "opencode"
    parser_class = OpenCodeParser
    folder = "opencode"
    """Below the XDG data folder; databases begin with its name."""
    variable = "OPENCODE_DB"
    """Names a database that is elsewhere."""

    def roots(self, home: Home) -> tuple[Path, ...]:
        """Its data folder, and that of a database that is named elsewhere."""
        root, named = home.xdg_data(self.folder), self._named(home)
        return (root,) if named is None else (root, named.parent)

    def stores_of(self, root: Path, home: Home | None) -> list[Store]:
        """Every generation's stores, and the one that is named elsewhere."""
        named = None if home is None else self._named(home)
        if not root.is_dir() and named is None:
            return []
        return stores(root, named, self.folder)

    @staticmethod
    def check(path: Path) -> None:
        """Raise what is wrong with a database."""
        reading(path, lambda connection: columns(connection, "session"))

    def _named(self, home: Home) -> Path | None:
        """A bare name is taken from the data folder, where every database is found anyway."""
        named = home.file(self.variable) if self.variable else None
        return named if named is not None and named.is_absolute() else None


PROVIDER = OpenCode()
