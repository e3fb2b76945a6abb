"""OpenCode's plugin events, which its server's `/event` stream has too.

Parses events `{"type", "properties"}` as a plugin's `event` hook gets them, into turns
(`opencode.events`), and reads what an event says of its session's state.
"""

from collections.abc import Mapping
from typing import Any

from dejavu.model import Vector

from ..formats.hooks.protocol import Hook, Status
from ..formats.json_lines import as_dict, as_str
from .events import EventParser, session

EVENTS = (
    "session.created", "session.updated", "session.status", "session.idle", "session.error",
    "session.compacted", "message.updated", "message.part.updated", "permission.asked",
    "permission.replied", "question.asked", "question.replied", "question.rejected",
)  # fmt: skip


class OpenCodeHookParser(EventParser):
    """Turns from events that a plugin was handed."""

    vector = Vector.HOOK


_STATUS: dict[str, Status] = {
    "permission.asked": "blocked",
    "permission.updated": "blocked",
    "permission.replied": "working",
    "question.asked": "blocked",
    "question.replied": "working",
    "question.rejected": "working",
    "session.idle": "idle",
    "session.error": "error",
}


def status(payload: Mapping[str, Any]) -> Status | None:
    """What an event says of its session."""
    kind = as_str(payload.get("type"))
    if kind == "session.status":
        now = as_str(as_dict(as_dict(payload.get("properties")).get("status")).get("type"))
        return "idle" if now == "idle" else "working" if now in ("busy", "retry") else None
    return _STATUS.get(kind)


HOOK = Hook("opencode", OpenCodeHookParser, EVENTS, status, session)
