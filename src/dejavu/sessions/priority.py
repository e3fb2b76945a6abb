"""Who needs a person first: sessions in the order of attention, and the one worst state.

Sorts sessions and counts their states. O(sessions log sessions).
"""

from collections import Counter
from collections.abc import Iterable
from typing import Any

from .session_store import SessionView

ATTENTION = ("blocked", "error", "done", "working", "idle", "unknown", "exited")
"""States, the most urgent first."""

_RANK: dict[str, int] = dict(zip(ATTENTION, range(len(ATTENTION)), strict=True))


def rank(view: SessionView) -> int:
    """The place of a session's state in `ATTENTION`."""
    return _RANK.get(view.state, _RANK["unknown"])


def by_attention(sessions: Iterable[SessionView]) -> list[SessionView]:
    """The sessions that need a person first, first; of one state, in the order given."""
    return sorted(sessions, key=rank)


def roll_up(sessions: Iterable[SessionView]) -> dict[str, Any]:
    """The live sessions as one: `{"worst": state or None, "sessions": [ids in it], "counts": {}}`.

    `counts` names every state that occurs, the most urgent first.
    """
    live = by_attention(view for view in sessions if view.live)
    worst = live[0].state if live else None
    return {
        "worst": worst,
        "sessions": [view.session.id for view in live if view.state == worst],
        "counts": dict(Counter(view.state for view in live)),
    }
