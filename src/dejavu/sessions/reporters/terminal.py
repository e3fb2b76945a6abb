"""The terminal around: program status (OSC 7501) for an agent that does not report itself.

The report goes to the wrapper, which asks the terminal first and writes it between the agent's own
sequences (`capsule.status_report`). Terminals are asked where they say that they know it: by their
name, or by the capability `Pst` of terminfo; others only where the operator says `always`.
"""

import re
from base64 import b64encode
from collections.abc import Callable, Mapping
from pathlib import Path

from dejavu.capsule.control import ask

from .report import Report

_KNOWING = ("ghostty",)
NO_OSC = frozenset({"", "dumb", "linux"})
_STATES = frozenset({"working", "blocked", "idle", "done", "error"})
_KINDS = {"permission": "permission", "trust": "permission", "plan": "permission", "login": "auth"}
_NOT_APP = re.compile(r"[^A-Za-z0-9_.+-]")
TIMEOUT = 0.5  # seconds: the wrapper answers from its own loop


def is_asked(environ: Mapping[str, str], setting: str) -> bool:
    """Whether the terminal is to be asked if it knows program status."""
    term = environ.get("TERM", "")
    if setting == "never" or term in NO_OSC:
        return False
    if setting == "always":
        return True
    if environ.get("TMUX") or environ.get("STY"):  # the name is that of a terminal further out
        return False
    names = (term, environ.get("TERM_PROGRAM", ""))
    return any(known in name.lower() for name in names for known in _KNOWING) or _has_pst(term)


def sequence(report: Report, kind: str) -> bytes | None:
    """The report as OSC 7501; None for a state that has none."""
    if report.state not in _STATES:
        return None
    pairs = [f"state={report.state}", f"app={_NOT_APP.sub('-', report.agent)[:32] or 'agent'}"]
    if report.state == "blocked":
        pairs.append(f"kind={_KINDS.get(kind, 'question')}")
    if report.message:
        pairs.append(f"msg={b64encode(report.message.encode('utf-8', 'replace')).decode()}")
    return f"\x1b]7501;{':'.join(pairs)}\x1b\\".encode()


class TerminalReporter:
    """Says one session's state to its terminal, by way of its control socket."""

    def __init__(self, folder: Path, note: Callable[[str], None]) -> None:
        self._control, self._note = folder / "control", note
        self._refused = False

    def told(self, report: Report, kind: str) -> None:
        """Send a report; nothing more after one that was refused. Never raises."""
        data = None if self._refused else sequence(report, kind)
        if data is None:
            return
        try:
            self._refused = not ask(self._control, {"do": "report", "data": data}, TIMEOUT)["ok"]
        except (OSError, KeyError, TypeError) as error:
            self._refused = True
            self._note(f"the terminal is not told: {error}")


def _has_pst(term: str) -> bool:
    """Whether terminfo knows the capability for this terminal."""
    try:
        import curses  # rarely wanted

        curses.setupterm(term, 1)
        return bool(curses.tigetstr("Pst"))
    except Exception:  # no such terminal, or no terminfo
        return False
