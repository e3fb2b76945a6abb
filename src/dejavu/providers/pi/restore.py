"""What Pi needs to list and resume a session: its file, in the folder of the working folder.

Its first record names the working folder, and Pi refuses a session whose folder is not here: it becomes
the one of here.

Tested in: tests/providers/test_restorer.py
"""

import re

from ..restorer import Read, Restorer, StoredSession, with_field


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

    def content(self, below: str, read: Read, session: StoredSession) -> Read:
        """As it was, except the folder."""
        read = super().content(below, read, session)
        if session.folder == session.workspace:
            return read
        return lambda: with_field(read(), "cwd", lambda was: session.here(str(was)))


def _encoded(folder: str) -> str:
    return f"--{re.sub(r'[/:]', '-', folder.removeprefix('/'))}--"


RESTORER = PiRestorer()
