"""What Copilot CLI needs to resume a session: its folder with the events and the description.

Tested in: tests/providers/test_restorer.py
"""

from collections.abc import Iterable
from pathlib import Path

from ..restorer import Restorer


class CopilotRestorer(Restorer):
    """Events, description, plan and checkpoints."""

    place = r".*/(session-state/.+)$"
    needs = "events, description, plan, checkpoints"

    def companions(self, path: Path) -> Iterable[Path]:
        """What is next to the events, except locks."""
        if path.name != "events.jsonl":
            return ()
        folder = path.parent
        found = (*folder.glob("*.yaml"), *folder.glob("*.md"), *folder.glob("checkpoints/*.md"))
        return sorted(one for one in found if one.is_file())


RESTORER = CopilotRestorer()
