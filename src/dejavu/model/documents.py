"""The JSON documents of the outside contract, one type each: what a program reads from `--json`.

`tools/json_schema.py` writes these into docs/dejavu.schema.json, where each has the name that
`DOCUMENTS` gives it. Fields may be added here, never renamed. Types alone: it must not convert
anything (`serialize` and `sessions.serialize` do).

Tested in: tests/tools/test_json_schema.py
"""

from typing import Annotated, Any, Literal, NotRequired, TypedDict

Moment = Annotated[str, "date-time"]
"""ISO 8601 in UTC."""
RoleName = Literal["user", "assistant", "tool", "system"]
StateName = Literal["blocked", "error", "done", "working", "idle", "unknown", "exited"]


class Figures(TypedDict):
    """Sums of turns, tokens and cost; still written by hand in the schema."""


class Extent(TypedDict):
    """How much of a first sync is there; still written by hand in the schema."""


class ConversationDocument(TypedDict):
    """A conversation without its turns; usage with `list --cost`."""

    id: str
    workspace: str
    instance: str
    agent: str
    native_id: str
    title: str
    started_at: Moment | None
    ended_at: Moment | None
    captured_at: Moment | None
    turn_count: int
    vectors: list[str]
    parent: str | None
    relation: str | None
    source: str | None
    agent_version: str | None
    starred: bool
    tags: list[str]
    agent_title: str | None
    project: str
    usage: NotRequired[Figures]
    continues: NotRequired[str]


class HitDocument(TypedDict):
    """A turn that answers a search; `marks` are ranges of its excerpt."""

    conversation: str
    seq: int
    role: RoleName
    score: float
    excerpt: str
    at: Moment | None
    agent: str
    marks: list[list[int]]
    title: str
    workspace: str
    instance: str


class Pending(TypedDict):
    """Work in the background, or inputs that wait, by kind; `names` as far as they are known."""

    kind: str
    count: int
    names: NotRequired[list[str]]


class Blocked(TypedDict):
    """What a person is asked."""

    kind: str
    question: str
    choices: list[str]
    default: NotRequired[str | None]
    resets_at: NotRequired[str | None]
    subject: NotRequired[str]
    keys: NotRequired[list[str]]
    takes_text: NotRequired[bool]
    across: NotRequired[bool]
    first: NotRequired[int]
    more: NotRequired[bool]


class Tokens(TypedDict):
    """Tokens that a session took."""

    input: int
    output: int


class SessionDocument(TypedDict):
    """A running or recent session; `reached` with `wait`."""

    id: str
    session: str
    name: str
    agent: str
    source: str
    state: StateName
    rule: str | None
    detail: str
    message: str
    pending: list[Pending]
    blocked: Blocked | None
    signals: dict[str, Any] | None
    disagreement: dict[str, Any] | None
    reading: dict[str, Any] | None
    since: Moment
    updated_at: Moment
    started_at: Moment
    finished_at: Moment | None
    live: bool
    pid: int | None
    workspace: str
    instance: str
    machine: str
    version: str | None
    title: str | None
    turns: int | None
    model: str | None
    last_prompt: str | None
    last_words: str | None
    tokens: Tokens | None
    cost: float | None
    exit_status: int | None
    conversation: str | None
    kept: str
    notes: list[str]
    reached: NotRequired[bool]


class ListDocument(TypedDict):
    """What `dejavu list` prints; `next` is the offset of the rest."""

    conversations: list[ConversationDocument]
    next: int | None


class SearchDocument(TypedDict):
    """What `dejavu search` prints; `behind` counts conversations that were not looked in whole."""

    query: str
    hits: list[HitDocument]
    next: int | None
    behind: int
    partial: Extent


class StatusDocument(TypedDict):
    """What `dejavu status` prints."""

    sessions: list[SessionDocument]
    next: int | None


class InterruptedDocument(TypedDict):
    """A session that a crash or reboot ended, and the command that starts it again."""

    id: str
    name: str
    agent: str
    folder: str
    reason: Literal["crash", "hangup", "saved"]
    ended_at: Moment
    conversation: str | None
    last_prompt: str | None
    draft: str | None
    blocked: Blocked | None
    command: list[str]
    size: str | None
    tmux: str | None
    lost: bool
    problem: str | None


class RestartedDocument(InterruptedDocument):
    """An interrupted session and, in `session`, the id of the one that continues it."""

    session: str | None
    draft_typed: bool
    error: str | None


class DeskDocument(TypedDict):
    """What `dejavu desk` prints."""

    sessions: list[InterruptedDocument]
    next: int | None


class DeskRestoreDocument(TypedDict):
    """What `dejavu desk restore` prints."""

    sessions: list[RestartedDocument]
    next: int | None


class DeskSaveDocument(TypedDict):
    """What `dejavu desk save` prints: ids of the sessions it noted."""

    saved: list[str]


DOCUMENTS: dict[str, type] = {
    "list": ListDocument,
    "search": SearchDocument,
    "status": StatusDocument,
    "conversation": ConversationDocument,
    "hit": HitDocument,
    "session": SessionDocument,
    "interrupted": InterruptedDocument,
    "restarted": RestartedDocument,
    "desk": DeskDocument,
    "desk restore": DeskRestoreDocument,
    "desk save": DeskSaveDocument,
}
"""The documents that are generated, by their names in the schema."""
BY_HAND: dict[str, type] = {"figures": Figures, "extent": Extent}
"""Those that are referred to and still written by hand."""
