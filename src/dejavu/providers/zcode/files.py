"""ZCode: a flat JSONL file a session, and OpenCode's tables in a database of its command line.

Reads `projects/*/*.jsonl` and `cli/db/db.sqlite` below `~/.zcode`.

Tested in: tests/providers/test_recordings.py
"""

from pathlib import Path
from typing import Any

from ..entry_parsers import Entries, LineEntries
from ..follow.session_store import Store
from ..formats.entries import Session, entry
from ..formats.json_lines import as_str
from ..opencode.database import Database
from ..opencode.files import OpenCode
from ..protocol import Home
from ..store_provider import CombinedProvider
from . import AGENT


class FlatParser(LineEntries):
    """One message a line: `{role, content, timestamp, sessionId}`."""

    def entries(self, record: dict[str, Any]) -> Entries:
        """A message, and the folder that it names."""
        said = entry(record, self.source.agent, self._strange)
        return None if said is None else [Session(workspace=as_str(record.get("cwd"))), said]


class ZCodeDatabase(OpenCode):
    """OpenCode's tables."""

    def roots(self, home: Home) -> tuple[Path, ...]:
        """The folder of the command line's database."""
        return (home.folder(None, ".zcode", "cli", "db"),)

    def stores_of(self, root: Path, home: Home | None) -> list[Store]:  # noqa: ARG002 - all lie below the root
        """The one database."""
        path = root / "db.sqlite"
        return [Database(path)] if path.exists() else []


PROVIDER = CombinedProvider(AGENT, ZCodeDatabase())
