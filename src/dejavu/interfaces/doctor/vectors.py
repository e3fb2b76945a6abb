"""Vectors: which of them failed, and where those that told the same session do not agree."""

from collections import Counter
from collections.abc import Iterator

from dejavu.archive.access import open_archive
from dejavu.ingest.merge.arbitrate import verdicts
from dejavu.ingest.merge.channel_health import Failure, failures
from dejavu.ingest.merge.provenance import sentence
from dejavu.model import ArchiveError, NotFoundError, Vector

from .finding import Finding, Grade


def vectors() -> Iterator[Finding]:
    """A finding for all conversations told by several vectors, and one for each that failed."""
    try:
        with open_archive() as archive:
            told, failing = verdicts(archive), failures(archive)
    except (NotFoundError, ArchiveError):
        return
    yield from map(_failing, failing)
    apart = {name for name, one in told.items() if any(_apart(counts) for counts in one.values())}
    sums: dict[str, Counter[str]] = {}
    for one in told.values():
        for vector, counts in one.items():
            sums.setdefault(vector, Counter()).update(counts)
    words = [f"{vector} {sentence(dict(counts))}" for vector, counts in sums.items() if +counts]
    yield Finding(
        subject="vectors", grade=Grade.NOTE if apart else Grade.GOOD,
        told=f"{len(told)} conversations told by several vectors, {len(apart)} not alike"
        + (f": {'; '.join(words)}" if words else ""),
        cure="`dejavu show ID --provenance` says which turns came from where" if apart else "",
        facts={
            "told_by_several": len(told), "disagreeing": sorted(apart),
            "counts": {vector: dict(counts) for vector, counts in sums.items()},
        },
    )  # fmt: skip


def _apart(counts: dict[str, int]) -> bool:
    """Whether a vector contradicts the others; what it alone had, it just saw better."""
    return any(name.startswith("differs") for name in counts)


def _failing(failure: Failure) -> Finding:
    own = failure.vector is Vector.NATIVE
    what = "own traces" if own else f"{failure.vector}s"
    return Finding(
        subject=f"{failure.agent} {failure.vector}", grade=Grade.NOTE,
        told=f"{what} gave nothing of a session that another vector told: {failure.reason}; "
        "what that one saw is kept",
        cure=f"see that {failure.agent}'s folder is there and readable; "
        f"`dejavu sync --agent {failure.agent}` reads it" if own else "`dejavu upgrade`",
        facts={
            "agent": failure.agent, "vector": str(failure.vector), "reason": failure.reason,
            "conversation": failure.conversation, "at": failure.at,
        },
    )  # fmt: skip
