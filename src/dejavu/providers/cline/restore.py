"""What Cline needs to resume a session or task: its folder with the messages and the description.

Tested in: tests/providers/test_restorer.py
"""

from collections.abc import Iterable
from pathlib import Path

from ..restorer import Restorer


class ClineRestorer(Restorer):
    """Messages and what is next to them."""

    place = r".*/(data/(?:sessions|tasks)/[^/]+/[^/]+)$"
    needs = "messages, description, what the task's page shows"

    def companions(self, path: Path) -> Iterable[Path]:
        """The JSON files next to the messages."""
        return sorted(one for one in path.parent.glob("*.json") if one != path and one.is_file())


RESTORER = ClineRestorer()
