"""What Pi needs to list and resume a session: its file, in the folder of the working folder.

Tested in: tests/providers/test_restorer.py
"""

import re

from ..restorer import Restorer, StoredSession


class PiRestorer(Restorer):
    """The session file."""

    place = r".*/(sessions/(?:[^/]+/)?[^/]+\.jsonl)$"
    needs = "session file"
    copies = True
    moves = True

    def target(self, below: str, session: StoredSession) -> str:
        """In the folder that is named after the working folder here."""
        folder, _, name = below.rpartition("/")
        if folder == f"sessions/{_encoded(session.workspace)}":
            folder = f"sessions/{_encoded(session.folder)}"
        return f"{folder}/{name}"


def _encoded(folder: str) -> str:
    return f"--{re.sub(r'[/:]', '-', folder.removeprefix('/'))}--"


RESTORER = PiRestorer()
