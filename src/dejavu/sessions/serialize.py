"""A session as plain JSON values, in the shape that `dejavu status`, hooks and HTTP share.

Fields may be added here, never renamed.
"""

from socket import gethostname
from typing import Any

from dejavu.model import to_iso

from .session_store import SessionView

UNOBSERVED = "nothing follows its screen: its observer has ended or hangs"
"""Why a session that runs is `unknown`."""

_FACTS = ("title", "turns", "model", "last_prompt", "last_words", "tokens", "cost")


def session_to_dict(view: SessionView) -> dict[str, Any]:
    """One session in the contract's shape; moments are ISO 8601."""
    session, status = view.session, view.status
    # Of a session that is over: when its work ended, or else when it did.
    finished_at = status.finished_at if view.state in ("idle", "done") else 0.0
    if not view.live:
        finished_at = status.finished_at or status.since or status.updated_at
    facts = status.facts or {}
    followed = view.live and view.observed
    return {
        "id": session.id,
        "session": session.id,
        "name": session.name,
        "agent": session.agent,
        "source": session.source or "wrapper",
        "state": view.state,
        "rule": status.rule if followed else None,
        "detail": status.detail if view.observed else UNOBSERVED,
        "message": status.message if followed else "",
        "pending": [_named(entry, facts) for entry in status.pending] if followed else [],
        "blocked": status.blocked if view.live and view.state == "blocked" else None,
        "signals": status.signals,
        "disagreement": _disagreement(status.disagreement) if followed else None,
        "reading": _reading(status.reading),
        "since": to_iso(status.since or session.started_at),
        "updated_at": to_iso(status.updated_at or session.started_at),
        "started_at": to_iso(session.started_at),
        "finished_at": to_iso(finished_at) if finished_at else None,
        "live": view.live,
        "pid": session.agent_pid,
        "workspace": session.workspace,
        "instance": session.instance,
        "machine": gethostname(),
        "version": facts.get("version") or (status.reading or {}).get("version"),
        **{name: facts.get(name) for name in _FACTS},
        "exit_status": status.exit_status,
        "conversation": status.conversation,
        "kept": status.kept,
        "notes": list(status.notes),
    }


def _named(entry: dict[str, Any], facts: dict[str, Any]) -> dict[str, Any]:
    """What runs in the background; where nothing shown names it, by its last calls in the session file."""
    background: dict[str, list[str]] = facts.get("background") or {}
    calls = background.get(str(entry["kind"]), [])
    count = int(entry.get("count", 0))
    return {**entry, "names": list(entry.get("names") or calls[len(calls) - count :])}


def _reading(reading: dict[str, Any] | None) -> dict[str, Any] | None:
    """How well the agent's screens are read; None while nothing is known of it."""
    if reading is None:
        return None
    since = reading.get("since")
    return {**reading, "since": to_iso(since) if isinstance(since, int | float) else None}


def _disagreement(found: dict[str, Any] | None) -> dict[str, Any] | None:
    """What the agent reports and its screen denies; None where the two agree."""
    return None if found is None else {**found, "since": to_iso(float(found["since"]))}
