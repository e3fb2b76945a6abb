"""The terminal around: program status (OSC 7501) for an agent that does not report itself.

The report goes to the wrapper, which asks the terminal first and writes it between the agent's own
sequences (`capsule.status_report`). Every terminal is asked that reads OSC: one that does not know the
question swallows it, and gets nothing more. Not those that show it as text, and no multiplexer that
passes nothing on, unless its own host is around or the operator says `always`. What runs in the
background is sent as child records, one a kind.
"""

import re
from base64 import b64encode
from collections.abc import Callable, Mapping
from pathlib import Path

from dejavu.capsule.control import ask

from .marks import found
from .report import Report

NO_OSC = frozenset({"", "dumb", "linux", "emacs", "vt52", "ansi", "cons25", "sun", "eterm"})
_STATES = frozenset({"working", "blocked", "idle", "done", "error"})
_KINDS = {"permission": "permission", "trust": "permission", "plan": "permission", "login": "auth"}
_NOT_APP = re.compile(r"[^A-Za-z0-9_.+-]")
TIMEOUT = 0.5  # seconds: the wrapper answers from its own loop


def is_asked(environ: Mapping[str, str], setting: str) -> bool:
    """Whether the terminal is to be asked if it knows program status."""
    term = environ.get("TERM", "")
    if setting == "never" or term.partition("-")[0] in NO_OSC:
        return False
    if setting == "always" or any(mark.knows_status for mark in found(_inside(environ))):
        return True
    return not (environ.get("TMUX") or environ.get("STY"))


def _inside(environ: Mapping[str, str]) -> Mapping[str, str]:
    """The variables; in a multiplexer without those that name a terminal further out."""
    if not (environ.get("TMUX") or environ.get("STY")):
        return environ
    outer = ("TERM", "TERM_PROGRAM", "GHOSTTY_RESOURCES_DIR")
    return {name: value for name, value in environ.items() if name not in outer}


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


def children(report: Report, told: set[str]) -> bytes:
    """Child records of what runs in the background; kinds that were `told` before and are over go."""
    counts = dict(report.pending)
    told.update(counts)
    sequences: list[str] = []
    for kind in sorted(told):
        name = _NOT_APP.sub("-", kind)[:32]
        if count := counts.get(kind, 0):
            title = b64encode(f"{count} {kind}".encode()).decode()
            sequences.append(f"\x1b]7501;state=working:id={name}:title={title}\x1b\\")
        else:
            sequences.append(f"\x1b]7501;state=clear:id={name}\x1b\\")
    return "".join(sequences).encode()


class TerminalReporter:
    """Says one session's state to its terminal, by way of its control socket."""

    def __init__(self, folder: Path, note: Callable[[str], None]) -> None:
        self._control, self._note = folder / "control", note
        self._refused = False
        self._children: set[str] = set()

    def told(self, report: Report, kind: str) -> None:
        """Send a report; nothing more after one that was refused. Never raises."""
        data = None if self._refused else sequence(report, kind)
        if data is None:
            return
        data += children(report, self._children)
        try:
            self._refused = not ask(self._control, {"do": "report", "data": data}, TIMEOUT)["ok"]
        except (OSError, KeyError, TypeError) as error:
            self._refused = True
            self._note(f"the terminal is not told: {error}")
