"""What Kimi Code needs to list and resume a session: its folder, and its line in the index.

The folder is named after the working folder and a hash of its path. `state.json` and the index hold
absolute paths, which become those of the home and the folder here. An event log is bound to the
folder's name, which is the one of here; nothing else of it changes.

Tested in: tests/providers/test_restorer.py
"""

import json
import re
from collections.abc import Iterable, Iterator
from functools import partial
from hashlib import sha256
from itertools import islice
from pathlib import Path
from typing import Any

from ..formats.json_lines import as_dict, as_str, decode_lenient
from ..restorer import EntryItem, FileItem, Item, Read, Restorer, StoredSession, with_field

_MOST = 512  # files that go with a session
_SLUG = 40  # characters of a folder's name


class KimiRestorer(Restorer):
    """Event logs, state, media, the line in the index."""

    place = r".*/(sessions/[^/]+/[^/]+/(?:state\.json|(?:agents|notify|blobs)/.+))$"
    needs = "event logs, state, media, the line in session_index.jsonl"
    copies = True
    moves = True

    def companions(self, path: Path) -> Iterable[Path]:
        """The session's state, and what is next to its agents' logs."""
        folder = path.parents[2]
        if path.parent.name != "main":
            return ()
        found = (
            *folder.glob("*.json"), *folder.glob("notify/*.json"), *folder.glob("blobs/*"),
            *folder.glob("agents/*/*"), *folder.glob("agents/*/blobs/*"),
        )  # fmt: skip
        wanted = (one for one in found if one.name != "wire.jsonl" and one.is_file())
        return islice(wanted, _MOST)

    def items(self, session: StoredSession, root: Path) -> Iterator[Item]:
        """The files; `state.json` with the paths of here, made where none was archived."""
        folder = self._folder(session, root)
        state = b""
        for item in super().items(session, root):
            if isinstance(item, FileItem) and item.path == folder / "state.json":
                state = b"".join(item.read())
                continue
            if isinstance(item, EntryItem):
                made = _state(state, session, folder)
                yield FileItem(folder / "state.json", partial(_once, made), is_log=False)
            yield item

    def target(self, below: str, session: StoredSession) -> str:
        """In the folder that is named after the working folder here."""
        top, project, inside = below.split("/", 2)
        if session.folder != session.workspace:
            project = _key(session.folder)
        return f"{top}/{project}/{inside}"

    def content(self, below: str, read: Read, session: StoredSession) -> Read:
        """As it was, except the folder's name."""
        read = super().content(below, read, session)
        if session.folder == session.workspace or not below.endswith("/wire.jsonl"):
            return read
        key = _key(session.folder)
        return lambda: with_field(read(), "workspaceId", lambda _: key)

    def entries(self, session: StoredSession, root: Path) -> Iterator[Item]:
        """The line in the index."""
        line = {
            "sessionId": session.id_here,
            "sessionDir": str(self._folder(session, root)),
            "workDir": session.folder,
        }
        yield EntryItem(
            root / "session_index.jsonl",
            f"{session.id_here} in {session.folder}",
            partial(_with_line, line=line),
        )

    def new_id(self, session: StoredSession) -> str:
        """An id with the agent's prefix."""
        return f"session_{super().new_id(session)}"

    def _folder(self, session: StoredSession, root: Path) -> Path:
        """The session's folder here."""
        place = next((place for f in session.files if (place := self.below(f.path))), "")
        target = self.target(place, session) if place else f"sessions/{_key(session.folder)}/"
        project = target.split("/")[1]
        return root / "sessions" / project / session.id_here


def _key(folder: str) -> str:
    """The name of the folder that holds a working folder's sessions."""
    name = re.sub(r"[^a-z0-9]+", "-", folder.rstrip("/").rpartition("/")[2].lower()).strip("-")
    return f"wd_{name[:_SLUG]}_{sha256(folder.rstrip('/').encode()).hexdigest()[:12]}"


def _state(data: bytes, session: StoredSession, folder: Path) -> bytes:
    """The state with the paths of here; its bytes as they are where those are the same."""
    was = as_dict(decode_lenient(data)) if data else _made(session, folder)
    state: dict[str, Any] = dict(was)
    if session.copy_id and "id" in was:
        state["id"] = session.copy_id
    for name in ("cwd", "workDir"):
        if name in was:
            state[name] = session.here(as_str(was[name]))
    if "agents" in was:
        state["agents"] = {
            name: {**as_dict(agent), "homedir": str(folder / "agents" / name)}
            if "homedir" in as_dict(agent)
            else agent
            for name, agent in as_dict(was["agents"]).items()
        }
    return data if data and state == was else json.dumps(state, ensure_ascii=False).encode()


def _once(data: bytes) -> Iterator[bytes]:
    yield data


def _made(session: StoredSession, folder: Path) -> dict[str, Any]:
    """A state for a session of which none was archived."""
    moment = int(session.changed * 1000)
    return {
        "id": session.id_here, "version": 2, "cwd": session.workspace,
        "createdAt": moment, "updatedAt": moment, "archived": False, "custom": {},
        "agents": {"main": {"homedir": str(folder / "agents" / "main"), "type": "main"}},
    }  # fmt: skip


def _with_line(stored: bytes | None, line: dict[str, str]) -> bytes:
    """An index with a session's line as its last of that session."""
    data = stored or b""
    last = None
    for text in data.splitlines():
        entry = as_dict(decode_lenient(text))
        last = entry if entry.get("sessionId") == line["sessionId"] else last
    if last is not None and last == {**last, **line}:
        return data
    end = b"" if not data or data.endswith(b"\n") else b"\n"
    text = json.dumps(line, ensure_ascii=False, separators=(",", ":")).encode()
    return data + end + text + b"\n"


RESTORER = KimiRestorer()
