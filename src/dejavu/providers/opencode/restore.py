"""What OpenCode needs to list and resume a session: its rows in the database, and its project's.

The archived log of rows is played to its end. Texts of rows are as OpenCode wrote them, parsed and
written again as JSON. Times of single parts, which the log lacks, are those of their message.

Tested in: tests/providers/test_restorer.py
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ..formats.json_lines import as_dict, as_dicts, as_int, as_str, decode_lenient, lines
from ..restorer import Item, MissingItem, Restorer, Row, RowsItem, StoredSession


class OpenCodeRestorer(Restorer):
    """Rows of `session`, `message`, `part` and `project`."""

    needs = "rows of session, message, part and project in its database"
    moves = True
    how_to_make = "opencode session list"
    database = "opencode.db"

    def items(self, session: StoredSession, root: Path) -> Iterator[Item]:
        """The rows of the session and of its sub-agents' sessions, parents first."""
        rows: list[Row] = []
        path = root / self.database
        for file in session.files:
            if file.path.suffix != ".db":
                yield MissingItem(f"{file.path}: its rows come from a tree of files")
                return
            if file.path.name.endswith(".db") and file.path.parent.name == root.name:
                path = root / file.path.name
            rows += _rows(b"".join(file.read()), session)
        rows.sort(key=lambda row: _ORDER[row.table])
        yield RowsItem(path, tuple(rows), self.how_to_make)


_ORDER = {"project": 0, "session": 1, "message": 2, "session_message": 2, "part": 3}


def _rows(log: bytes, session: StoredSession) -> Iterator[Row]:
    """The rows of one session as its log of rows leaves them."""
    head: dict[str, Any] = {}
    messages: list[dict[str, Any]] = []
    for line, _, _ in lines(log):
        record = as_dict(decode_lenient(line))
        if "session" in record:
            head = as_dict(record["session"])
        elif "keep" in record:
            del messages[as_int(record["keep"]) or 0 :]
        elif "message" in record:
            messages.append(as_dict(record["message"]))
    if not head:
        return
    folder = session.here(as_str(head.get("directory")))
    made, touched = (as_int(head.get(name)) or 0 for name in ("time_created", "time_updated"))
    project = as_str(head.get("project_id"))
    worktree = "/" if project == "global" else folder
    yield Row(
        "project",
        {
            "id": project, "worktree": worktree, "vcs": None if project == "global" else "git",
            "time_created": made, "time_updated": touched, "sandboxes": "[]",
        },
        shared=True,
    )  # fmt: skip
    if folder != head.get("directory"):
        head |= {"directory": folder} | ({"path": folder[1:]} if "path" in head else {})
    yield Row("session", head)
    for seq, message in enumerate(messages):
        if not message.get("deleted"):
            yield from _message(as_str(head.get("id")), message, seq)


def _message(session: str, message: dict[str, Any], seq: int) -> Iterator[Row]:
    """A message's row and those of its parts; of OpenCode 2, one row."""
    made = as_int(message.get("created")) or 0
    common = {"session_id": session, "time_created": made, "time_updated": made}
    row = {"id": message.get("id"), **common, "data": _json(message.get("data"))}
    if "type" in message:
        yield Row("session_message", {**row, "type": message["type"], "seq": seq})
        return
    yield Row("message", row)
    for part in as_dicts(message.get("parts")):
        data = _json(part.get("data"))
        yield Row(
            "part", {"id": part.get("id"), "message_id": message.get("id"), **common, "data": data}
        )


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


RESTORER = OpenCodeRestorer()
