"""The list of OpenCode's stores below its data folder.

Returns the `Store`s of a data folder. Four generations are known, and a migration may leave a
session in two of them, or lose it from the newer: OpenCode 2's projection and 1.2's tables, both in
a SQLite database, the tree of JSON files before them (`storage/`), and the tree before that
(`project/*/storage/session/`).
"""

from pathlib import Path

from ..follow.session_store import Store
from .database import Database
from .json_tree import Tree
from .v2_database import Projection


def stores(root: Path, named: Path | None = None, folder: str = "opencode") -> list[Store]:
    """The stores below the data folder, the one to be believed first.

    `named` is a database that is elsewhere, `folder` what the names of databases begin with.
    Where a message is in two generations, the older
    tells more of it: a migration leaves out what the newer has no place for.
    """
    paths = dict.fromkeys(sorted(root.glob(f"{folder}*.db")))
    if named is not None:
        paths = {named: None} | paths
    candidates: list[Store] = [kind(path) for path in paths for kind in (Database, Projection)]
    if (root / "storage" / "session").is_dir():
        candidates.append(Tree(root / "storage" / "session", root / "storage", "*/*.json", False))
    candidates += [
        Tree(folder / "info", folder, "*.json", True)
        for folder in sorted(root.glob("project/*/storage/session"))
    ]
    return candidates
