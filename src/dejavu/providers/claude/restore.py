"""What Claude Code needs to list and resume a session, and to rewind and look into it.

The session file alone is listed and resumed. Its sub-agents, spilled outputs, task lists and the
copies of edited files lie next to it. `--resume` looks in the folder that is named after the working
folder. The records keep the folder they were written in: nothing of a session file is changed.

Tested in: tests/providers/test_restorer.py
"""

from collections.abc import Iterable
from itertools import islice
from pathlib import Path

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
            *config.glob(f"todos/{session}-agent-*.json"),
            *config.glob(f"tasks/{session}/*.json"),
            *config.glob(f"file-history/{session}/*"),
            *path.with_suffix("").glob("tool-results/*"),
        )
        return islice((one for one in found if one.is_file()), _MOST)

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


RESTORER = ClaudeRestorer()
