"""What is kept of a memory, and where in its namespace.

A value is one msgpack map, so any msgpack reader can read it. Fields may be added with a default,
never renamed.

    m<id>        a memory
    j<sequence>  what happened, in order: the audit and what other processes catch up by; ids alone
    l<sequence>  a recall: what was asked, and which ids came back with which scores
    h            how far `j` and `l` got
"""

from typing import Literal

import msgspec

NAMESPACE = "memories"
_FORGOTTEN = "forgotten"
"""What earlier versions put for a successor that was forgotten; now the older memory holds again."""
INITIAL_CONFIDENCE = 0.5
CONFIRMED, REJECTED = 0.1, -0.15
SUPERSEDED = 0.3  # what is left of the confidence of a memory that another one contradicts
LOWEST, HIGHEST = 0.01, 1.0

Operation = Literal[
    "remember", "confirm", "reject", "supersede", "revive", "forget", "import", "embed"
]


class MemoryRecord(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One memory. Moments are Unix seconds; `order` rises with every memory born here.

    `supersedes` are the ids this one contradicted, `superseded_by` the one that contradicts it.
    `workspace` is empty for what holds everywhere; a memory holds in all folders of its `project`.
    `vector` is packed float32, where an embedding
    is configured, and `space` the name of the space it is in.
    """

    id: str
    text: str
    confidence: float = INITIAL_CONFIDENCE
    created_at: float
    updated_at: float
    order: int = 0
    source: str = ""
    workspace: str = ""
    project: str = ""
    tags: tuple[str, ...] = ()
    supersedes: tuple[str, ...] = ()
    superseded_by: str | None = None
    confirmed: int = 0
    rejected: int = 0
    vector: bytes = b""
    space: str = ""


def decoded(value: bytes) -> MemoryRecord:
    """A memory as it is stored."""
    memory = msgspec.msgpack.decode(value, type=MemoryRecord)
    return revived(memory, memory.updated_at) if memory.superseded_by == _FORGOTTEN else memory


def revived(memory: MemoryRecord, at: float) -> MemoryRecord:
    """A superseded memory as it was before, with the confidence that was taken from it."""
    before = adjust_confidence(memory.confidence / SUPERSEDED, 0.0)
    return msgspec.structs.replace(memory, superseded_by=None, confidence=before, updated_at=at)


def same_scope(one: MemoryRecord, other: MemoryRecord) -> bool:
    """Whether two memories hold in the same place: one workspace, or one project."""
    return one.workspace == other.workspace or bool(one.project and one.project == other.project)


class RecallResult(msgspec.Struct, frozen=True, kw_only=True):
    """A memory that answers: its score is 70 % relevance and 30 % confidence."""

    id: str
    text: str
    score: float
    relevance: float
    confidence: float
    created_at: float
    source: str = ""
    workspace: str = ""
    superseded_by: str | None = None


class Result(msgspec.Struct, frozen=True):
    """One line of a recall's record: an id and its score. The text is not kept twice."""

    id: str
    score: float


class ShownHit(msgspec.Struct, frozen=True):
    """An exchange that a recall showed: `CONVERSATION#TURN`, its score, and whether it was sure."""

    id: str
    score: float
    sure: bool


class RecallEntry(msgspec.Struct, frozen=True, kw_only=True):
    """One recall, as the log keeps it: the memories, and the past exchanges it showed."""

    sequence: int
    at: float
    context: str
    results: tuple[Result, ...] = ()
    hits: tuple[ShownHit, ...] = ()


class JournalEntry(msgspec.Struct, frozen=True, kw_only=True):
    """One change of a memory: when, what, whose id; never a text."""

    at: float
    operation: Operation
    id: str


class Sequences(msgspec.Struct, frozen=True, kw_only=True):
    """How far the two sequences got."""

    journal: int = 0
    log: int = 0


SEQUENCES = b"h"


def memory_key(identity: str) -> bytes:
    """The key of a memory."""
    return b"m" + identity.encode()


def journal_key(sequence: int) -> bytes:
    """The key of a change."""
    return b"j" + sequence.to_bytes(8, "big")


def log_key(sequence: int) -> bytes:
    """The key of a recall; the newest first."""
    return b"l" + (2**64 - 1 - sequence).to_bytes(8, "big")


def adjust_confidence(confidence: float, step: float) -> float:
    """The confidence after a step, within its bounds, with 3 decimals."""
    return round(min(HIGHEST, max(LOWEST, confidence + step)), 3)
