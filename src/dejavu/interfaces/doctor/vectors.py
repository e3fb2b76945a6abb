"""Vectors: which of them failed, and where those of one session do not agree."""

from collections import Counter
from collections.abc import Iterator

from dejavu.archive.access import open_archive
from dejavu.ingest.merge.arbitrate import all_merge_statistics
from dejavu.ingest.merge.channel_health import Failure, failures
from dejavu.ingest.merge.provenance import describe_counts
from dejavu.model import ArchiveError, NotFoundError, Vector
from dejavu.model.plural import counted

from .finding import Finding, Severity


def vectors() -> Iterator[Finding]:
    """Yield a finding for all conversations with several vectors, and one for each failure."""
    try:
        with open_archive() as archive:
            statistics, failing = all_merge_statistics(archive), failures(archive)
    except (NotFoundError, ArchiveError):
        return
    yield from map(_failing, failing)
    different = {
        name for name, by_vector in statistics.items() if any(map(_differs, by_vector.values()))
    }
    sums: dict[str, Counter[str]] = {}
    for by_vector in statistics.values():
        for vector, counts in by_vector.items():
            sums.setdefault(vector, Counter()).update(counts)
    words = [
        f"{vector} {describe_counts(dict(counts))}" for vector, counts in sums.items() if +counts
    ]
    yield Finding(
        subject="vectors", severity=Severity.WARNING if different else Severity.OK,
        message=f"{counted(len(statistics), 'conversation')} captured by several vectors, "
        f"{len(different)} differ"
        + (f": {'; '.join(words)}" if words else ""),
        fix="`dejavu show ID --provenance` shows where each turn came from" if different else "",
        facts={
            "told_by_several": len(statistics), "disagreeing": sorted(different),
            "counts": {vector: dict(counts) for vector, counts in sums.items()},
        },
    )  # fmt: skip


def _differs(counts: dict[str, int]) -> bool:
    """Whether a vector contradicts the others; what only it has is no contradiction."""
    return any(name.startswith("differs") for name in counts)


def _failing(failure: Failure) -> Finding:
    own = failure.vector is Vector.NATIVE
    what = "session files" if own else f"{failure.vector}s"
    return Finding(
        subject=f"{failure.agent} {failure.vector}", severity=Severity.WARNING,
        message=f"{what} gave nothing of a session that another vector captured: {failure.reason}; "
        "what that one saw is kept",
        fix=f"see that {failure.agent}'s folder is there and readable; "
        f"`dejavu sync --agent {failure.agent}` imports it" if own else "`dejavu init --upgrade`",
        facts={
            "agent": failure.agent, "vector": str(failure.vector), "reason": failure.reason,
            "conversation": failure.conversation, "at": failure.at,
        },
    )  # fmt: skip
