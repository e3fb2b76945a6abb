"""Screens of sessions that were read badly, with what the agent's own trace says of them.

`aligned.json` in a session's folder, written by the observer where the operator agreed to keep
screens, and only where the screen and the trace differ much: what rules are learnt from. Screens
and texts are redacted; a screen is stored as what draws it. It goes with the session's folder.

Tested in: tests/sessions/observer/test_reading_check.py
"""

from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

from dejavu.config.files import read_json, write_json
from dejavu.model import Role
from dejavu.redact import Redactor
from dejavu.scrapers.labelled_screens import LabelledScreen
from dejavu.screen import Terminal

from .observer.screen_server import picture
from .session_store import sessions_folder

FILE = "aligned.json"
_SESSIONS = 20
"""Sessions that are learnt from, the newest."""

_LIMIT = 16 << 20
"""Bytes of a file that is read."""


class AlignedSession(NamedTuple):
    """The labelled screens of one session, and the version of the agent that drew them."""

    session: str
    version: str
    screens: tuple[LabelledScreen, ...]


def save(
    folder: Path, agent: str, version: str, screens: Iterable[LabelledScreen], redactor: Redactor
) -> None:
    """Write a session's labelled screens, redacted.

    Raises:
        OSError: it cannot be written.
    """
    rows = [
        {
            **{
                name: value
                for name, value in picture(screen.snapshot, redactor).items()
                if name in ("columns", "lines", "drawing")
            },
            "state": screen.state,
            "said": [[role, redactor.redact(text)] for role, text in screen.said],
        }
        for screen in screens
    ]
    write_json(folder / FILE, {"agent": agent, "version": version, "screens": rows})


def load(agent: str) -> list[AlignedSession]:
    """Return an agent's sessions with labelled screens, the newest first, of the version read last.

    Files that are damaged are passed over.
    """
    root = sessions_folder()
    paths = sorted(root.glob(f"*/{FILE}"), reverse=True) if root.is_dir() else []
    found: list[AlignedSession] = []
    for path in paths:
        try:
            entry = _load(path, agent)
        except (OSError, ValueError, TypeError, KeyError):
            continue
        if entry is not None and (not found or entry.version == found[0].version):
            found.append(entry)
        if len(found) == _SESSIONS:
            break
    return found


def _load(path: Path, agent: str) -> AlignedSession | None:
    if path.stat().st_size > _LIMIT:
        return None
    data = read_json(path)
    if data.get("agent") != agent or not isinstance(data.get("screens"), list):
        return None
    screens = tuple(_screen(row) for row in data["screens"])
    return AlignedSession(path.parent.name, str(data.get("version") or ""), screens)


def _screen(row: dict[str, Any]) -> LabelledScreen:
    columns, lines = int(row["columns"]), int(row["lines"])
    if not (0 < columns <= 2000 and 0 < lines <= 2000):
        raise ValueError("no size of a terminal")
    terminal = Terminal(columns, lines, history=0, graphemes=True)
    terminal.feed(str(row["drawing"]).encode("utf-8", "replace"))
    said = tuple((Role(role), str(text)) for role, text in row["said"])
    return LabelledScreen(terminal.snapshot(), str(row["state"]), said)
