"""States of an agent, what it waits for, what runs behind it, and a change of state. Data only."""

from dataclasses import dataclass
from enum import StrEnum


class State(StrEnum):
    """What a running agent is doing; `done` (idle that was not seen yet) is decided by `sessions`."""

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


class TurnEnd(StrEnum):
    """What the transcript's last row says of its last turn.

    No mark of its end, one, or one with the time it took, which cannot be drawn before it is over.
    """

    OPEN = "open"
    MARKED = "marked"
    TIMED = "timed"


@dataclass(frozen=True, slots=True)
class StatusChange:
    """From `at` (seconds on the caller's clock) on, the session is in `state`.

    `rule` is the id of the deciding rule or the kind of evidence (`signal`, `exit`, `process`);
    `detail` is the agent's own word, the exit status, or the reason for `unknown`; never a row of
    the screen, since it leaves this program and a row alone may hold half a secret.
    """

    at: float
    state: State
    rule: str
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Disagreement:
    """What an agent has reported of itself for a while, and what its screen says instead.

    `since` is on the caller's clock. `followed`: whether the state is the screen's.
    """

    source: str
    reported: State
    read: State
    since: float
    followed: bool = False


@dataclass(frozen=True, slots=True)
class Pending:
    """Work that continues, or waits, besides the conversation: `count` of one kind.

    `kind`: shell, agent, mcp, workflow, task, or queued (inputs that wait for their turn). `names`
    are those that are known, at most `count`: an agent's titles, or the queued inputs.
    """

    kind: str
    count: int
    names: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Blocked:
    """What a person is asked.

    `kind`: permission, question, plan, login, limit, trust, or menu (which a person opened).
    `choices` are the labels as shown, `default` the one that Enter takes. `resets_at` is when a
    limit ends, in the agent's own words. `subject` is what is asked about, as it is above the
    choices (a command, a difference), its rows by line breaks. `keys` has the letter that takes
    each choice; it is empty where a pointer does. `takes_text`: the answer is typed into a text
    field. `across`: the choices stand side by side, and the pointer goes left and right. `more`:
    the list scrolls and has others that are not seen; `first` is the number of the first that is.
    No choices, and no text: how to answer was not read. The texts are untrusted.
    """

    kind: str
    question: str = ""
    choices: tuple[str, ...] = ()
    default: str | None = None
    resets_at: str | None = None
    subject: str = ""
    keys: tuple[str, ...] = ()
    takes_text: bool = False
    across: bool = False
    first: int = 1
    more: bool = False


@dataclass(frozen=True, slots=True)
class Situation:
    """What a state alone does not tell: the agent's own words for it, and what is asked or runs.

    Texts are the agent's and the screen's: untrusted, and redacted where the reader has a mask.
    """

    message: str = ""
    pending: tuple[Pending, ...] = ()
    blocked: Blocked | None = None
