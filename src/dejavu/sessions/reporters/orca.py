"""orca: the agent's state in its pane (OSC 9999), one JSON object; no text of a prompt is sent.

Tested in: tests/sessions/reporters/test_hosts.py
"""

import json
from collections.abc import Iterable, Mapping

from .marks import ORCA, is_there
from .report import Report

_STATES = {
    "working": "working",
    "blocked": "blocked",
    "idle": "done",
    "done": "done",
    "error": "done",
}


def is_here(environ: Mapping[str, str]) -> bool:
    """Whether a pane of orca's reads what is written."""
    return is_there(ORCA, environ) and not (environ.get("TMUX") or environ.get("STY"))


def is_outside(environ: Mapping[str, str], terminals: Iterable[tuple[str, str]]) -> bool:
    """Whether it shows the pane of a tmux: its mark is there, and a terminal of its making."""
    is_marked = bool(environ.get("ORCA_PANE_KEY"))
    return is_marked and any(kind.lower().startswith("xterm.js") for _, kind in terminals)


def sequence(report: Report) -> str:
    """What tells it of a state; nothing for one that it has no word for."""
    state = _STATES.get(report.state)
    if state is None:
        return ""
    fields = {"state": state, "agentType": report.agent}
    return f"\x1b]9999;{json.dumps(fields)}\x1b\\"
