"""What Qwen Code needs to list and resume a session: its chat file, in the folder of its project.

It takes a session for another project's unless the records name the working folder: their `cwd` is
the one of here, where the folder has another name.

Tested in: tests/providers/test_restorer.py
"""

from ..restorer import Read, Restorer, StoredSession, dashed, with_field


class QwenRestorer(Restorer):
    """The chat file."""

    place = r".*/((?:projects|tmp)/[^/]+/chats/.+)$"
    needs = "chat file"
    copies = True
    moves = True
    root = -1

    def target(self, below: str, session: StoredSession) -> str:
        """In the folder that is named after the working folder here."""
        top, project, inside = below.split("/", 2)
        if top == "projects" and project == dashed(session.workspace):
            project = dashed(session.folder)
        return f"{top}/{project}/{inside}"

    def content(self, below: str, read: Read, session: StoredSession) -> Read:
        """As it was, except the folder."""
        read = super().content(below, read, session)
        if session.folder == session.workspace or not below.endswith(".jsonl"):
            return read
        return lambda: with_field(read(), "cwd", lambda was: session.here(str(was)))


RESTORER = QwenRestorer()
