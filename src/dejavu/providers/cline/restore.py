"""What Cline needs to resume a session or task: its folder with the messages and the description.

The description holds the project's folder and the messages' place, which become those of here. Cline
makes the row in its own database from it.

Tested in: tests/providers/test_restorer.py
"""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from ..formats.json_lines import as_str
from ..restorer import FileItem, Item, Restorer, StoredSession, with_document


class ClineRestorer(Restorer):
    """Messages and what is next to them."""

    place = r".*/(data/(?:sessions|tasks)/[^/]+/[^/]+)$"
    needs = "messages, description, what the task's page shows"
    moves = True

    def companions(self, path: Path) -> Iterable[Path]:
        """The JSON files next to the messages."""
        return sorted(one for one in path.parent.glob("*.json") if one != path and one.is_file())

    def items(self, session: StoredSession, root: Path) -> Iterator[Item]:
        """The files; a description with the paths of here."""
        for item in super().items(session, root):
            if isinstance(item, FileItem) and item.path.stem == item.path.parent.name:
                yield item._replace(read=with_document(item.read, _Here(session, item.path)))
            else:
                yield item


class _Here:
    """A description with the paths of here."""

    def __init__(self, session: StoredSession, path: Path) -> None:
        self._session, self._path = session, path

    def __call__(self, description: dict[str, Any]) -> dict[str, Any]:
        folders: dict[str, Any] = {
            name: self._session.here(as_str(description[name]))
            for name in ("cwd", "workspace_root")
            if name in description
        }
        if messages := as_str(description.get("messages_path")):
            folders["messages_path"] = str(self._path.parent / Path(messages).name)
        return {**description, **folders}


RESTORER = ClineRestorer()
