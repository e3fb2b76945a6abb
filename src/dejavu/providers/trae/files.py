"""TRAE: rollouts of Codex's form, named by the time and the session's id.

Tested in: tests/providers/test_recordings.py
"""

import re
from pathlib import Path

from ..store_provider import StoreProvider
from . import AGENT

_ID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$")


class Trae(StoreProvider):
    """Provider of the command line's rollouts."""

    def native_id(self, path: Path) -> str:
        """The id at the end of the name."""
        name = path.name.partition(".")[0]
        return match.group() if (match := _ID.search(name)) else name


PROVIDER = Trae(AGENT)
