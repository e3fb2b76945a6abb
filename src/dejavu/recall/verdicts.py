"""What people say of memories and of hits: whether memory was right to give one, or to keep it back.

A hit is named as it was shown, `CONVERSATION#TURN`. Only one that was put before a prompt, or that a
recall showed, can be judged; the last word on it counts. Such a verdict changes no ranking; one on a
memory moves its confidence.

    v<hit>      a verdict

Costs O(rows of the two logs), the newest 1,000 of each.
"""

import time
from typing import NamedTuple

import msgspec

from dejavu.archive import Archive
from dejavu.archive.access import resolve
from dejavu.model import NotFoundError

from .injection_log import NAMESPACE, audit
from .memory.memory import Memory
from .memory.memory_records import NAMESPACE as MEMORIES
from .memory.memory_records import MemoryRecord
from .memory.recall_log import journal, last_recalls

WEEK = 7 * 86_400.0
_SEEN = 1_000  # rows of a log that are looked through


class Verdict(msgspec.Struct, frozen=True, kw_only=True):
    """One verdict. given: it was put before a prompt, or shown as sure. right: it answered."""

    hit: str
    at: float
    given: bool
    right: bool


class Judged(NamedTuple):
    """What came of a verdict: on a hit, or on a memory as it is now, with its confidence before."""

    id: str
    right: bool
    hit: Verdict | None = None
    memory: MemoryRecord | None = None
    before: float = 0.0

    @property
    def told(self) -> str:
        """The rest of a sentence that begins with the id."""
        if self.memory is not None:
            return f"confidence {self.before} -> {self.memory.confidence}"
        given = self.hit is not None and self.hit.given
        was = "had given it as sure" if given else "had been unsure of it"
        return f"marked as {'right' if self.right else 'wrong'}; memory {was}"


class Precision(msgspec.Struct, frozen=True, kw_only=True):
    """The injections of some time, and how they were judged.

    injections: prompts that got records. right, wrong: hits that were given and judged. missed,
    withheld: hits kept back that answer, and that do not. memories_right, memories_wrong: verdicts
    on what a memory says, whether or not it was given.
    """

    injections: int = 0
    right: int = 0
    wrong: int = 0
    missed: int = 0
    withheld: int = 0
    memories_right: int = 0
    memories_wrong: int = 0

    @property
    def share(self) -> float | None:
        """The share of right ones among those given and judged; None where none is."""
        judged = self.right + self.wrong
        return self.right / judged if judged else None


def is_hit(identity: str) -> bool:
    """Whether an id is a hit's, and not a memory's."""
    return "#" in identity


def judge(archive: Archive, identity: str, *, right: bool) -> Judged:
    """Keep what is said of a memory (its id) or of a hit (`conversation#turn`).

    Raises:
        NotFoundError: there is no such memory, or no one was shown that hit.
        ArchiveError: the archive cannot be written.
    """
    if is_hit(identity):
        verdict = judge_hit(archive, _whole(archive, identity), right=right)
        return Judged(verdict.hit, right, hit=verdict)
    memory = Memory(archive)
    before = memory.get(identity)
    (memory.confirm if right else memory.reject)(before)
    after = memory.get(before.id)
    return Judged(after.id, right, memory=after, before=before.confidence)


def judge_hit(archive: Archive, hit: str, *, right: bool, at: float | None = None) -> Verdict:
    """Keep what a person says of a hit.

    Raises:
        NotFoundError: neither a prompt nor a recall was shown it.
        ArchiveError: the archive cannot be written.
    """
    given = _was_given(archive, hit)
    if given is None:
        raise NotFoundError(
            f"{hit!r} was never recalled or put before a prompt; `dejavu memory log` lists what was"
        )
    verdict = Verdict(hit=hit, at=time.time() if at is None else at, given=given, right=right)
    archive.namespace(NAMESPACE).put(_key(hit), msgspec.msgpack.encode(verdict))
    return verdict


def precision(archive: Archive, since: float) -> Precision:
    """What was given since a moment (Unix seconds), and how much of it was right."""
    counts = dict.fromkeys(
        ("right", "wrong", "missed", "withheld", "memories_right", "memories_wrong"), 0
    )
    for _, value in archive.namespace(NAMESPACE).items(b"v"):
        verdict = msgspec.msgpack.decode(value, type=Verdict)
        if verdict.at >= since:
            names = ("wrong", "right") if verdict.given else ("withheld", "missed")
            counts[names[verdict.right]] += 1
    for entry in journal(archive.namespace(MEMORIES)):
        if entry.at >= since and entry.operation in ("confirm", "reject"):
            counts["memories_right" if entry.operation == "confirm" else "memories_wrong"] += 1
    given = sum(one.at >= since for one in audit(archive, limit=_SEEN))
    return Precision(injections=given, **counts)


def _whole(archive: Archive, hit: str) -> str:
    """The hit with the whole id of its conversation; as it is where that was pruned."""
    conversation, mark, turn = hit.partition("#")
    try:
        return archive.resolve(resolve(archive, conversation)) + mark + turn
    except NotFoundError:
        return hit


def _was_given(archive: Archive, hit: str) -> bool | None:
    """Whether it was given unasked, or surely; None where it was not shown at all."""
    if any(name == hit for row in audit(archive, limit=_SEEN) for name, _ in row.items):
        return True
    recalls = last_recalls(archive.namespace(MEMORIES), _SEEN)
    return next((shown.sure for row in recalls for shown in row.hits if shown.id == hit), None)


def _key(hit: str) -> bytes:
    return b"v" + hit.encode("utf-8", "replace")[:400]
