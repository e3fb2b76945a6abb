"""What Gemini CLI needs to list and resume a session: its chat file, in the folder of its project.

A project's folder below `tmp` has a short name that `projects.json` assigns, and says its project in
`.project_root`; the first versions named it after a hash of the path.

Tested in: tests/providers/test_restorer.py
"""

import json
from collections.abc import Iterator
from functools import partial
from hashlib import sha256
from itertools import count
from pathlib import Path
from typing import Any

from ..formats.json_lines import as_dict, decode_lenient
from ..restorer import EntryItem, FileItem, Item, Restorer, StoredSession


class GeminiRestorer(Restorer):
    """Chat file, sub-agents, spilled outputs, the project's entry."""

    place = r".*/tmp/([^/]+/(?:chats|tool-outputs?)/.+)$"
    needs = "chat file, sub-agents, spilled outputs, the entry in projects.json"
    moves = True

    def items(self, session: StoredSession, root: Path) -> Iterator[Item]:
        """The project's mark, the files, then the entry in `projects.json`."""
        index = root.parent / "projects.json"
        names = {self.below(file.path) or "" for file in session.files}
        was = next((name.split("/", 1)[0] for name in sorted(names) if name), "")
        name = _name(session, was, _projects(index))
        named = bool(session.folder) and not _is_hash(name)
        if named:
            data = session.folder.encode("utf-8", "surrogateescape")
            yield FileItem(root / name / ".project_root", lambda: iter((data,)), is_log=False)
        for item in super().items(session, root):
            if isinstance(item, FileItem):
                inside = item.path.relative_to(root).parts[1:]
                yield item._replace(path=root.joinpath(name, *inside))
            else:
                yield item
        if named:
            yield EntryItem(
                index,
                f"{session.folder} is {name}",
                partial(_with_project, folder=session.folder, name=name),
            )


def _is_hash(name: str) -> bool:
    return len(name) == 64 and all(letter in "0123456789abcdef" for letter in name)


def _name(session: StoredSession, was: str, projects: dict[str, Any]) -> str:
    """The name of the project's folder here: the one that it has, else the old one if it is free."""
    if _is_hash(was):
        return sha256(session.folder.encode()).hexdigest() if session.folders else was
    if not session.folder:  # nothing told which project it was
        return was
    if isinstance(name := projects.get(session.folder), str):
        return name
    taken = set(projects.values())
    return next(name for n in count() if (name := was if n == 0 else f"{was}-{n}") not in taken)


def _projects(index: Path) -> dict[str, Any]:
    try:
        return as_dict(as_dict(decode_lenient(index.read_bytes())).get("projects"))
    except OSError:
        return {}


def _with_project(data: bytes | None, folder: str, name: str) -> bytes:
    whole = as_dict(decode_lenient(data)) if data else {}
    projects = as_dict(whole.get("projects"))
    if projects.get(folder) == name and data is not None:
        return data
    whole["projects"] = {**projects, folder: name}
    return json.dumps(whole, indent=2, ensure_ascii=False).encode("utf-8", "surrogateescape")


RESTORER = GeminiRestorer()
