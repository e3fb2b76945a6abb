"""Kilo Code: OpenCode's database; before March 2026 the tasks of an editor's extension.

Reads `kilo/kilo*.db` below the XDG data folder, and `tasks` in the editors' storage, which Kilo moves
into the database and leaves there.

Tested in: tests/providers/test_recordings.py
"""

from typing import Any

from dejavu.model import from_iso

from ..formats.json_lines import as_dict, as_str
from ..opencode.files import OpenCode
from ..protocol import Source
from ..store_provider import CombinedProvider, document_beside
from . import AGENT


def task_facts(source: Source, stored: dict[str, Any]) -> dict[str, Any]:
    """Title, folder and beginning of a task, of `history_item.json` next to it."""
    item = as_dict(document_beside(source.path.with_name("history_item.json")))
    facts = {
        "title": as_str(item.get("task")).partition("\n")[0][:80],
        "workspace": as_str(item.get("workspace")) or as_str(item.get("cwdOnTaskInitialization")),
        "began": from_iso(item.get("ts")),
    }
    return {**stored, **{name: fact for name, fact in facts.items() if fact}}


class KiloDatabase(OpenCode):
    """OpenCode's form in Kilo's folder."""

    folder = "kilo"
    variable = "KILO_DB"


class Kilo(CombinedProvider):
    """Provider of both."""

    def facts(self, source: Source, stored: dict[str, Any]) -> dict[str, Any]:
        """What is next to a task."""
        return task_facts(source, stored)


PROVIDER = Kilo(AGENT, KiloDatabase())
