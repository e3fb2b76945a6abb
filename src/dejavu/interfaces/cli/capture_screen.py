"""`dejavu capture-screen SESSION NAME`: write a golden case from a live session.

The session's screen as it is, redacted by its observer, becomes a folder as `golden/` has
them: `screen.txt`, `session.cast` (one frame that draws it again, styles included), `turns.json`
(what the rules read today: correct it where they are wrong), `case.toml`. Unredacted text never
leaves the observer. Exit codes: 0 written, 1 refused, 3 no such session or no screen.
"""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from dejavu.model import CaptureError, InvalidValueError, NotFoundError, part_to_dict
from dejavu.sessions.observer.screen_server import look
from dejavu.sessions.session_store import find

from ..command_line.output import print_json, print_note
from ..command_line.parameters import Argument, Option
from .replay import read_through

_NAME = re.compile(r"[a-z0-9][a-z0-9._-]{0,80}")
_FRAME_AT = 0.1
_SETTLED_AT = 5.0
"""Seconds into the recording by which every debounce has ended."""

if TYPE_CHECKING:
    from ..command_line.parameters import Json, SessionId


def command(
    session: SessionId,
    name: Annotated[str, Argument(help="The case's name: lower-case letters, digits, . _ -")],
    into: Annotated[Path, Option("--into", help="The folder of golden cases.")] = Path("golden"),
    why: Annotated[str, Option("--why", help="What this screen shows.")] = "",
    agent_version: Annotated[
        str, Option("--agent-version", help="The agent's version, if known.")
    ] = "",
    overwrite: Annotated[bool, Option("--overwrite", help="Replace a case of this name.")] = False,
    json: Json = False,
) -> None:
    """Write a golden case from a session."""
    if not _NAME.fullmatch(name):
        raise InvalidValueError(
            f"{name!r} is not a case name: use lower-case letters, digits, . _ -"
        )
    view = find(session)
    if not view.live:
        raise NotFoundError(f"{view.session.id} has ended; a recording of it can be replayed")
    screen = look(view.folder)
    folder = into / re.sub(r"[^a-z0-9._-]", "-", screen["agent"].lower()) / name
    if folder.exists() and not overwrite:
        raise CaptureError(f"{folder} exists; --overwrite replaces it")
    case = write_case(
        folder, screen, version=agent_version, why=why or f"captured while {screen['state']}"
    )
    if json:
        print_json(case)
    else:
        print(folder)
        print_note(
            f"it is read as {', '.join(case['states']) or 'unknown'}; correct turns.json if needed"
        )


def write_case(folder: Path, screen: dict[str, Any], *, version: str, why: str) -> dict[str, Any]:
    """Write the files of one case; return its folder, the states read and the deciding rule."""
    folder.mkdir(parents=True, exist_ok=True)
    rows = [row.rstrip() for row in screen["rows"]]
    (folder / "screen.txt").write_text("\n".join(rows).strip("\n") + "\n", "utf-8")
    header = {"version": 2, "width": screen["columns"], "height": screen["lines"]}
    events = [[_FRAME_AT, "o", screen["drawing"]], [_SETTLED_AT, "o", ""]]
    text = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in [header, *events])
    (folder / "session.cast").write_text(text, "utf-8")
    facts = {
        "agent": screen["agent"],
        "version": version,
        "size": f"{screen['columns']}x{screen['lines']}",
        "date": datetime.now(UTC).date().isoformat(),
        "why": why,
        "state": screen["state"],
    }
    toml = "".join(f"{key} = {json.dumps(value)}\n" for key, value in facts.items())
    (folder / "case.toml").write_text(toml, "utf-8")
    reader = read_through(folder / "session.cast", screen["agent"], None)
    states = [str(change.state) for change in reader.status]
    turns = [
        {"role": str(turn.role), "parts": [part_to_dict(part) for part in turn.parts]}
        for turn in reader.turns
    ]
    expected = {"states": states, "turns": turns, "gaps": len(reader.gaps)}
    (folder / "turns.json").write_text(
        json.dumps(expected, ensure_ascii=False, indent=1) + "\n", "utf-8"
    )
    return {
        "folder": str(folder), "state": screen["state"], "rule": screen["rule"], "states": states,
    }  # fmt: skip
