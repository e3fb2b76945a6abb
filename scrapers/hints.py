"""Signals below the rules: notifications, progress and titles, which speak where no rule does.

They say less than a report and stay behind what happens: progress stops while an agent
asks, a title keeps its last glyph. So each counts for a short while only, in the order of
`SOURCES`, as a weak verdict where a screen is not recognised. Next to rules that do recognise it
they are compared with these (see status.py). Cost: O(length) an event.
"""

import re
from dataclasses import dataclass

from dejavu.screen import Event, Notification, Progress, Title

from .state import State

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
