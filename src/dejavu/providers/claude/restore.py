"""What Claude Code needs to list and resume a session, and to rewind and look into it.

The session file alone is listed and resumed. Its sub-agents, spilled outputs, task lists and the
copies of edited files lie next to it. `--resume` looks in the folder that is named after the working
folder. The records keep the folder they were written in: nothing of a session file is changed.

Tested in: tests/providers/test_restorer.py
"""

import os
from collections.abc import Iterable
from functools import lru_cache
from itertools import islice
from pathlib import Path

from ..follow.stamp import Stamp, file_stamp
from ..restorer import Restorer, StoredSession, dashed

_MOST = 512  # files that go with a session


class ClaudeRestorer(Restorer):
    """Session, sub-agents, spilled outputs, tasks, file history."""

    place = (
        r".*/((?:projects/[^/]+/(?!memory/)|(?:todos|tasks|file-history)/).+)$"  # no instructions
    )
    needs = "session file, sub-agents, spilled outputs, to-do lists, file history"
    copies = True
    moves = True

    def companions(self, path: Path) -> Iterable[Path]:
        """Of a sub-agent its description; of a session its task lists and copies of files."""
        if path.stem.startswith("agent-"):
            return (path.with_suffix(".meta.json"),)
        config, session = path.parents[2], path.stem
        found = (
            *_todos(config / "todos").get(session, ()),
            *(name for name in _files(config / "tasks" / session) if name.endswith(".json")),
            *_files(config / "file-history" / session),
            *_files(path.with_suffix("") / "tool-results"),
        )
        return map(Path, islice(found, _MOST))

    def target(self, below: str, session: StoredSession) -> str:
        """In the folder that is named after the working folder here."""
        top, _, rest = below.partition("/")
        project, _, inside = rest.partition("/")
        if top != "projects":
            return below
        for old, new in session.folders:
            if project == dashed(old) or project.startswith(f"{dashed(old)}-"):
                return f"{top}/{dashed(new)}{project[len(dashed(old)) :]}/{inside}"
        return below


def _files(folder: Path) -> list[str]:
    """The files in a folder; `Path.glob` would cost a tenth of a first sync."""
    try:
        with os.scandir(folder) as entries:
            return [entry.path for entry in entries if entry.is_file()]
    except OSError:
        return []


def _todos(folder: Path) -> dict[str, list[str]]:
    """The to-do lists by their session: one folder has those of all."""
    try:
        return _listed(folder, file_stamp(folder))
    except OSError:  # none are kept
        return {}


@lru_cache(4)
def _listed(folder: Path, _stamp: Stamp) -> dict[str, list[str]]:
    lists: dict[str, list[str]] = {}
    for path in _files(folder):
        session, between, _ = path.rpartition("/")[2].partition("-agent-")
        if between and path.endswith(".json"):
            lists.setdefault(session, []).append(path)
    return lists


RESTORER = ClaudeRestorer()
