"""What a program told its terminal besides drawing; frozen values, told apart by class."""

from dataclasses import dataclass, field

from .program_status import ProgramStatus


@dataclass(frozen=True, slots=True)
class Title:
    """OSC 0 or 2: the window's title."""

    text: str


@dataclass(frozen=True, slots=True)
class Bell:
    """BEL."""


@dataclass(frozen=True, slots=True)
class Progress:
    """OSC 9;4: state 0 none, 1 normal, 2 error, 3 indeterminate, 4 paused; value in percent."""

    state: int
    value: int


@dataclass(frozen=True, slots=True)
class PromptMark:
    """OSC 133: A prompt, B command line, C output, D end (detail then begins with the status)."""

    kind: str
    detail: str


@dataclass(frozen=True, slots=True)
class Notification:
    """OSC 9, 99 or 777;notify: a message for the desktop (`title: body` where both are given)."""

    text: str


@dataclass(frozen=True, slots=True)
class AgentStatus:
    """OSC 26 (a proposal) or 9999 (Orca's): the state of a coding agent in its own words.

    "" where it gives none.
    """

    status: str
    agent: str = ""
    session: str = ""
    detail: str = ""
    progress: str = ""


@dataclass(frozen=True, slots=True)
class Cleared:
    """The screen or the history was wiped (ED 2, ED 3, RIS): frames do not align across it.

    `wiped`: where the history was, how many lines of this feed's `scrolled` went with it.
    """

    wiped: int | None = field(default=None, compare=False)


Event = Title | Bell | Progress | PromptMark | Notification | AgentStatus | ProgramStatus | Cleared
