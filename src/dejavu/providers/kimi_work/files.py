"""Kimi Work: Kimi Code's wire log in the folders of the desktop's conversations.

Tested in: tests/providers/test_recordings.py
"""

from pathlib import Path

from ..store_provider import StoreProvider
from . import AGENT


class KimiWork(StoreProvider):
    """Provider of the desktop's conversations; what it asks a model besides them is left out."""

    def native_id(self, path: Path) -> str:
        """The conversation's name, and its agent's where that is not the main one."""
        parents = path.parents
        if len(parents) > 2 and parents[1].name == "agents":
            name, who = parents[2].name, parents[0].name
            return name if who == "main" else f"{name}/{who}"
        return path.parent.name


PROVIDER = KimiWork(AGENT)
