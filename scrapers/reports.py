"""An agent's own word about its state: a report by program status or OSC 26 and 9999, or hints below that.

The root record and its children are read together: agents' roots say `done` while a shell or a
sub-agent of theirs still works, and that is work in the background (`pending`). A record that asks
a person decides, whichever it is. Texts are the agent's and untrusted. Cost: O(records).

Hints are signals below the rules: notifications, progress and titles, which speak where no rule does.
They say less than a report and stay behind what happens: progress stops while an agent
asks, a title keeps its last glyph. So each counts for a short while only, in the order of
`SOURCES`, as a weak verdict where a screen is not recognised. Next to rules that do recognise it
they are compared with these (see status.py). Cost: O(length) an event.
"""

import re
from dataclasses import dataclass

from dejavu.screen import (
    AgentStatus,
    Cleared,
    Event,
    Notification,
    ProgramStatus,
    Progress,
    PromptMark,
    Title,
)

from .pending import counted, kind_of, merged, named, running_in
from .state import Pending, State

_STATES = {
    "idle": State.IDLE,
    "done": State.IDLE,
    "working": State.WORKING,
    "blocked": State.BLOCKED,
    "error": State.ERROR,
}
# The words of OSC 26 and OSC 9999, and what a person is asked where one is.
_AGENT_STATES = {
    "idle": (State.IDLE, ""),
    "finished": (State.IDLE, ""),
    "running": (State.WORKING, ""),
    "error": (State.ERROR, ""),
    "awaiting-approval": (State.BLOCKED, "permission"),
    "awaiting-input": (State.BLOCKED, "question"),
    "working": (State.WORKING, ""),
    "done": (State.IDLE, ""),
    "blocked": (State.BLOCKED, "permission"),
    "waiting": (State.BLOCKED, "question"),
}
_RANK = (State.ERROR, State.WORKING, State.IDLE)
_ONLY_RUNNING = re.compile(r"(?i)\W*\d{1,3} [\w -]{1,40} still running\W*")


@dataclass(frozen=True, slots=True)
class Report:
    """What an agent says of itself. `source` is the rule's name that a status shows."""

    source: str
    state: State
    kind: str = ""
    message: str = ""
    pending: tuple[Pending, ...] = ()  # named by its child records


def report_of(records: tuple[ProgramStatus, ...]) -> Report | None:
    """Return what a terminal's program status records say together; None where there are none."""
    if not records:
        return None
    asking = next((record for record in records if record.state == "blocked"), None)
    root = records[0] if not records[0].id else None
    children = [record for record in records if record.id]
    working = [
        (kind_of(f"{child.title} {child.id}"), child)
        for child in children
        if child is not asking and child.state in ("working", "blocked")
    ]
    names = [(kind, child.title or child.id.rpartition("/")[2]) for kind, child in working]
    pending = named(counted((kind, 1) for kind, _ in working), names)
    if asking is not None:
        return Report("program-status", State.BLOCKED, asking.kind, asking.message, pending)
    if root is None:
        state = min((_STATES[child.state] for child in children), key=_RANK.index)
        return Report("program-status", state, "", children[0].message, pending)
    state = _STATES[root.state]
    pending = merged(pending, running_in(root.message))
    if state is State.WORKING and _ONLY_RUNNING.fullmatch(root.message):
        state = State.IDLE  # it waits for nothing but what runs in the background
    return Report("program-status", state, "", root.message, pending)


def report_of_agent(event: AgentStatus) -> Report | None:
    """Return what an OSC 26 or 9999 status says; None for a word that is not known."""
    known = _AGENT_STATES.get(event.status)
    return None if known is None else Report("agent-status", *known, event.detail)


def may_end_report(event: Event) -> bool:
    """Whether the program status records may be others once an event has come."""
    if isinstance(event, PromptMark):
        return event.kind == "A"
    return isinstance(event, ProgramStatus | Cleared)


SOURCES = ("notification", "progress", "title")
"""The strongest first."""

# Seconds for which each counts. A title is a spinner only while it turns.
_TTL = {"notification": 10.0, "progress": 10.0, "title": 2.0}

_ASKS = re.compile(
    r"(?i)\b(?:approv\w*|permission|needs? (?:your|you|input)|waiting for (?:you|your|input)"
    r"|requires? (?:your|attention|approval)|wants to)\b"
)
_ENDS = re.compile(r"(?i)\b(?:complete[d]?|finished|done|is ready)\b")
# A title that begins so tells of work, while it turns.
TITLE_SPINNER = re.compile(r"[\u2800-\u28ff◐◑◒◓]")
_PROGRESS = {1: State.WORKING, 2: State.ERROR, 3: State.WORKING}


@dataclass(frozen=True, slots=True)
class Hint:
    """What a signal of lower rank says, and until when it counts."""

    source: str
    state: State
    detail: str
    until: float


class Hints:
    """The hints of one session."""

    def __init__(self) -> None:
        self._hints: dict[str, Hint] = {}
        self._glyph = ""

    def take(self, event: Event, at: float) -> None:
        """Take an event of the terminal; most say nothing."""
        match event:
            case Notification(text):
                state = State.BLOCKED if _ASKS.search(text) else State.IDLE
                if state is State.BLOCKED or _ENDS.search(text):
                    self._set("notification", state, text, at)  # whole: a cut may part a secret
            case Progress(state=state):
                self._hints.pop("progress", None)
                if state in _PROGRESS:
                    self._set("progress", _PROGRESS[state], f"progress {state}", at)
            case Title(text):
                before, self._glyph = self._glyph, text[:1]
                turns = self._glyph != before and TITLE_SPINNER.match(before) is not None
                if turns and TITLE_SPINNER.match(text):
                    self._set("title", State.WORKING, "", at)
            case _:
                pass

    def best(self, at: float) -> Hint | None:
        """Return the strongest hint that still counts."""
        for source in SOURCES:
            hint = self._hints.get(source)
            if hint is not None and at < hint.until:
                return hint
        return None

    def _set(self, source: str, state: State, detail: str, at: float) -> None:
        if state is State.WORKING:  # an agent that works again has been answered
            self._hints.pop("notification", None)
        self._hints[source] = Hint(source, state, detail, at + _TTL[source])
