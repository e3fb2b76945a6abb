"""What Copilot CLI needs to resume a session: its folder with the events and the description.

The description names the working folder, which becomes the one of here. The events stay as they are.

Tested in: tests/providers/test_restorer.py
"""

import json
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from ..restorer import Read, Restorer, StoredSession

_PLAIN = re.compile(r"/[\w./@+-]*")  # what YAML takes without quotes


class CopilotRestorer(Restorer):
    """Events, description, plan and checkpoints."""

    place = r".*/(session-state/.+)$"
    needs = "events, description, plan, checkpoints"
    moves = True

    def companions(self, path: Path) -> Iterable[Path]:
        """What is next to the events, except locks."""
        if path.name != "events.jsonl":
            return ()
        folder = path.parent
        found = (*folder.glob("*.yaml"), *folder.glob("*.md"), *folder.glob("checkpoints/*.md"))
        return sorted(one for one in found if one.is_file())

    def content(self, below: str, read: Read, session: StoredSession) -> Read:
        """As it was, except the folder in the description."""
        if session.folder == session.workspace or not below.endswith("/workspace.yaml"):
            return read
        return lambda: _moved(b"".join(read()), session)


def _moved(data: bytes, session: StoredSession) -> Iterator[bytes]:
    """The description with the folder of here in its line `cwd`."""
    here = session.folder if _PLAIN.fullmatch(session.folder) else json.dumps(session.folder)
    line = f"cwd: {here}".encode("utf-8", "surrogateescape")
    yield re.sub(rb"(?m)^cwd: .*$", lambda _: line, data, count=1)


RESTORER = CopilotRestorer()
