"""iTerm2: the session's status in its tab (OSC 21337), where it is the terminal.

`key=value` pairs between semicolons; a backslash comes before one that is text. Empty values take
the status back.

Tested in: tests/sessions/reporters/test_hosts.py
"""

from collections.abc import Iterable, Mapping

from .marks import ITERM, is_there
from .report import Report

_SHOWN = {
    "working": ("Working\u2026", "#ff9500"),
    "blocked": ("Waiting", "#5f87ff"),
    "error": ("Error", "#ff5f5f"),
}
_RESTS = ("Idle", "#00d75f")
TAKEN_BACK = "\x1b]21337;status=;indicator=;status-color=;detail=\x1b\\"


def is_here(environ: Mapping[str, str]) -> bool:
    """Whether iTerm2 itself reads what is written: tmux and GNU screen swallow it."""
    return is_there(ITERM, environ) and not (environ.get("TMUX") or environ.get("STY"))


def is_outside(_: Mapping[str, str], terminals: Iterable[tuple[str, str]]) -> bool:
    """Whether it shows the pane of a tmux, by the names that terminals gave tmux."""
    return any(kind.lower().startswith("iterm2") for _, kind in terminals)


def sequence(report: Report) -> str:
    """What tells it of a state; what takes it back where there is nothing to tell."""
    if report.state == "unknown":
        return TAKEN_BACK
    status, colour = _SHOWN.get(report.state, _RESTS)
    detail = report.message.replace("\\", "\\\\").replace(";", "\\;")
    fields = f"status={status};indicator={colour};status-color={colour};detail={detail}"
    return f"\x1b]21337;{fields}\x1b\\"
