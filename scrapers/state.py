"""What an agent is doing, and how sure we are of it.

Takes nothing; gives the words `State`, `Confidence` and `StatusChange`. No behaviour.
"""

from dataclasses import dataclass
from enum import StrEnum


class State(StrEnum):
    """What a running agent is doing; `done` (idle that nobody has seen) is made by surfaces."""

    WORKING = "working"
    BLOCKED = "blocked"
    IDLE = "idle"
    ERROR = "error"
    EXITED = "exited"
    UNKNOWN = "unknown"


class Confidence(StrEnum):
    """How much a verdict rests on: a fact, a live mark on the screen, an inference, nothing."""

    CERTAIN = "certain"
    STRONG = "strong"
    WEAK = "weak"
    NONE = "none"


@dataclass(frozen=True, slots=True)
class StatusChange:
    """From `at` (the clock of the caller, seconds) on, the session is in `state`.

    `rule` names the rule or the kind of evidence that decided it, `detail` says why in a few
    words: the row that matched, the exit status, or the reason for `unknown`.
    """

    at: float
    state: State
    rule: str
    detail: str = ""
