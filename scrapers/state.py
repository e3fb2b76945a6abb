"""States of an agent, confidence in a verdict, and a change of state. Data only."""

from dataclasses import dataclass
from enum import StrEnum


class State(StrEnum):
    """What a running agent is doing; `done` (idle that nobody has seen) is decided by `sessions`."""

    WORKING = "working"
    BLOCKED = "blocked"
    IDLE = "idle"
    ERROR = "error"
    EXITED = "exited"
    UNKNOWN = "unknown"


class Confidence(StrEnum):
    """What a verdict rests on: a fact, a live mark on the screen, an inference, nothing."""

    CERTAIN = "certain"
    STRONG = "strong"
    WEAK = "weak"
    NONE = "none"


@dataclass(frozen=True, slots=True)
class StatusChange:
    """From `at` (seconds on the caller's clock) on, the session is in `state`.

    `rule` is the id of the deciding rule or the kind of evidence (`signal`, `exit`, `process`);
    `detail` is the row that matched, the exit status, or the reason for `unknown`.
    """

    at: float
    state: State
    rule: str
    detail: str = ""
