"""The terminal around: program status (OSC 7501) for an agent that does not report itself.

The report goes to the wrapper, which asks the terminal first and writes it between the agent's own
sequences (`capsule.status_report`). Every terminal is asked that reads OSC: one that does not know the
question swallows it, and gets nothing more. Not those that show it as text, and no multiplexer, unless
its own host is around or the operator says `always`; the terminal outside one gets reports without a
question (`outside`), with a record for each pane. What runs in the background is sent as child
records, one a kind.
"""

import re
from base64 import b64encode
from collections.abc import Callable, Mapping
from pathlib import Path

from dejavu.capsule.control import ask
from dejavu.capsule.passthrough import SCREEN_LIMIT, wrapped

from .marks import found
from .outside import WayOut, way_out
from .report import Report

NO_OSC = frozenset({"", "dumb", "linux", "emacs", "vt52", "ansi", "cons25", "sun", "eterm"})
_STATES = frozenset({"working", "blocked", "idle", "done", "error"})
_KINDS = {"permission": "permission", "trust": "permission", "plan": "permission", "login": "auth"}
_NOT_APP = re.compile(r"[^A-Za-z0-9_.+-]")
_TIMEOUT = 0.5  # seconds: the wrapper answers from its own loop
_LATE = 3  # times in a row that it may be late


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


def reporter_of(
    environ: Mapping[str, str], setting: str, folder: Path, note: Callable[[str], None]
) -> "TerminalReporter | None":
    """What tells the terminal around; None where there is none to tell."""
    way = way_out(environ, setting)
    if way is None and not is_asked(environ, setting):
        return None
    return TerminalReporter(folder, note, way)


def sequence(report: Report, kind: str, record: str = "") -> bytes | None:
    """The report as OSC 7501, of the root `record`; None for a state that has none."""
    if report.state not in _STATES:
        return None
    pairs = [f"state={report.state}"]
    pairs += [f"id={record}"] if record else []
    pairs.append(f"app={_NOT_APP.sub('-', report.agent)[:32] or 'agent'}")
    if report.state == "blocked":
        pairs.append(f"kind={_KINDS.get(kind, 'question')}")
    if report.message:
        pairs.append(f"msg={b64encode(report.message.encode('utf-8', 'replace')).decode()}")
    return f"\x1b]7501;{':'.join(pairs)}\x1b\\".encode()


def children(report: Report, told: set[str], record: str = "") -> bytes:
    """Child records of what runs in the background; kinds that were `told` before and are over go."""
    counts = dict(report.pending)
    told.update(counts)
    sequences: list[str] = []
    for kind in sorted(told):
        name = f"{record}/" * bool(record) + _NOT_APP.sub("-", kind)[:32]
        if count := counts.get(kind, 0):
            title = b64encode(f"{count} {kind}".encode()).decode()
            sequences.append(f"\x1b]7501;state=working:id={name}:title={title}\x1b\\")
        else:
            sequences.append(f"\x1b]7501;state=clear:id={name}\x1b\\")
    return "".join(sequences).encode()


class WrapperVoice:
    """Asks a session's wrapper to write; for good silent once it refused, or was late too often."""

    def __init__(self, folder: Path, note: Callable[[str], None]) -> None:
        self._control, self._note = folder / "control", note
        self._left = _LATE

    def say(self, request: dict[str, object]) -> None:
        """Send one request, unless it is silent. Never raises."""
        if not self._left:
            return
        try:
            self._left = _LATE if ask(self._control, request, _TIMEOUT)["ok"] else 0
        except (OSError, KeyError, TypeError) as error:
            self._left = self._left - 1 if isinstance(error, TimeoutError) else 0
            if not self._left:
                self._note(f"the terminal is not told: {error}")


class TerminalReporter:
    """Says one session's state to its terminal, or by `way` to the one outside a multiplexer.

    It goes by way of the session's control socket.
    """

    def __init__(
        self, folder: Path, note: Callable[[str], None], way: WayOut | None = None
    ) -> None:
        self._wrapper, self._way = WrapperVoice(folder, note), way
        self._children: set[str] = set()

    @property
    def is_outside(self) -> bool:
        """Whether the agent's own reports do not reach it."""
        return self._way is not None

    def told(self, report: Report, kind: str) -> None:
        """Send a report. Never raises."""
        if (request := self._request(report, kind)) is not None:
            self._wrapper.say(request)

    def _request(self, report: Report, kind: str) -> dict[str, object] | None:
        record = self._way.record if self._way is not None else ""
        data = sequence(report, kind, record)
        if data is None:
            return None
        behind = children(report, self._children, record)
        if self._way is None:
            return {"do": "report", "data": data + behind}
        if "screen" in self._way.layers and len(data + behind) > SCREEN_LIMIT:
            data, behind = sequence(report._replace(message=""), kind, record) or b"", b""
        return {"do": "announce", "data": wrapped(data + behind, self._way.layers)}
