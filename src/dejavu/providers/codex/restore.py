"""What Codex needs to list and resume a thread: its rollout; it makes its databases from that.

Tested in: tests/providers/test_restorer.py
"""

from collections.abc import Iterator
from pathlib import Path

from ..restorer import Item, MissingItem, Restorer, StoredSession


class CodexRestorer(Restorer):
    """The rollout, plain, whatever its form was."""

    place = r".*/((?:sessions|archived_sessions)/(?:\d{4}/\d\d/\d\d/)?rollout-[^/]+)$"
    needs = "rollout; Codex makes its databases from it"
    copies = True
    moves = True  # it asks which folder to work in

    def items(self, session: StoredSession, root: Path) -> Iterator[Item]:
        """The rollout; a thread that only the database had cannot be put back."""
        for file in session.files:
            if file.path.suffix == ".sqlite":
                yield MissingItem(
                    f"its rollout was gone before it was read; {file.path.name} had its items only"
                )
                return
        yield from super().items(session, root)


RESTORER = CodexRestorer()
