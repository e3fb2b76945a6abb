"""The archive: does it open, what is in it, is there space, is an index behind or a part damaged.

Counting reads every conversation's summary; `dejavu archive verify` checks all else; its last
findings are shown until it finds nothing. Costs O(conversations), and for the indexes O(log entries
that the furthest has not seen). Opens no index that does not exist yet.
"""

import shutil
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from typing import NamedTuple

from dejavu.archive import Archive
from dejavu.archive.access import open_archive
from dejavu.archive.counts import Counts
from dejavu.archive.derived import Derived, Lag
from dejavu.archive.maintenance.old_copies import leftovers
from dejavu.archive.search.direct import MOST_TURNS
from dejavu.config.extensions import parts
from dejavu.config.paths import archive_shown, is_server, private_folder, state_home
from dejavu.ingest.merge.arbitrate import all_merge_statistics
from dejavu.ingest.merge.channel_health import Failure, failures
from dejavu.ingest.merge.provenance import describe_counts
from dejavu.model import (
    ArchiveError,
    ArchiveUnavailableError,
    CorruptArchiveError,
    DejavuError,
    NotFoundError,
    Vector,
)
from dejavu.model.plural import counted
from dejavu.recall import Recall
from dejavu.recall.history.embeddings import pending
from dejavu.recall.history.index import FOLDER, MAX_INDEX_LAG
from dejavu.recall.history.skipped import skipped
from dejavu.recall.injection import switched_off

from .finding import Finding, Severity
from .installation import FULL, MIN_FREE

NOTE = "verify-faults"
"""The file in the state folder with how many faults `verify` found last."""


def archive() -> Iterator[Finding]:
    """Yield what is there, and a finding for each thing that is wrong with it."""
    location = archive_shown()
    try:
        with open_archive() as opened:
            counts = opened.counts()
            stale = opened.backend.stale_readers()
            free = shutil.disk_usage(opened.root).free
            indexes = list(derived_data(opened))
            off = switched_off(opened)
            copies = leftovers(opened.root) if not is_server(location) else []
    except (NotFoundError, ArchiveError) as error:
        yield _unopened(error, location)
        return
    yield _summary(location, counts, stale, free)
    if damage := _damage():
        yield Finding(
            subject="archive damage", severity=Severity.ERROR, message=damage,
            fix="`dejavu archive verify --repair` recovers what it can",
        )  # fmt: skip
    yield from indexes
    yield from _injection(off)
    if copies:
        yield Finding(
            subject="older archives", severity=Severity.WARNING,
            message=f"{len(copies)} next to it, left by `restore`, `verify --repair` or a killed "
            f"command: {', '.join(path.name for path in copies[:3])}",
            fix="delete them if nothing is missing; `dejavu archive compact` removes unfinished ones",
            facts={"paths": [str(path) for path in copies]},
        )  # fmt: skip


def _unopened(error: DejavuError, location: str) -> Finding:
    """Why there is no archive to look into."""
    severity, message = Severity.ERROR, str(error)
    if isinstance(error, NotFoundError):
        severity, message = Severity.WARNING, f"none yet at {location}"
        fix = "`dejavu sync` imports what your agents keep"
    elif isinstance(error, ArchiveUnavailableError) or (
        is_server(location) and not isinstance(error, CorruptArchiveError)
    ):
        fix = (
            "try again when the server answers and takes this login; nothing is known to be damaged"
        )
    else:
        fix = (
            "`dejavu archive verify` names the damage, `--repair` recovers what it can, "
            "`dejavu archive restore` puts back a backup"
        )
    return Finding(subject="archive", severity=severity, message=message, fix=fix)


def _summary(location: str, counts: Counts, stale: int, free: int) -> Finding:
    """What the archive holds, and whether there is space for more. `free` are bytes."""
    megabytes = counts.stored_bytes / (1 << 20)
    held = f"{counted(counts.conversations, 'conversation')}, {counted(counts.turns, 'turn')}"
    summary = f"{held}, {megabytes:.1f} MiB"
    if stale:
        summary += f", {stale} reader slots freed"
    here = " on this machine" if is_server(location) else ""
    low = free < max(MIN_FREE, counts.stored_bytes // 10)
    full = free < FULL
    return Finding(
        subject="archive",
        severity=Severity.ERROR if full else Severity.WARNING if low else Severity.OK,
        message=f"{location}: {summary}, {free // (1 << 20)} MiB free{here}",
        fix="free some disk space, or new conversations cannot be stored" if low else "",
        facts={
            "path": location, **counts._asdict(), "stale_readers": stale, "free_bytes": free,
        },
    )  # fmt: skip


def _injection(off: list[str]) -> Iterator[Finding]:
    """Where prompts get no history, if that was switched off anywhere."""
    if off:
        places = ", ".join(sorted(off)) if all(off) else "every project"
        yield Finding(
            subject="injection", severity=Severity.OK,
            message=f"off in {places}; `dejavu memory list --inject` with -w switches it on",
            facts={"off": off},
        )  # fmt: skip


def note_faults(faults: int) -> None:
    """Remember for `archive` what `verify` found; 0: forget it."""
    if faults:
        (private_folder(state_home()) / NOTE).write_text(f"{faults}\n", encoding="ascii")
    else:
        (state_home() / NOTE).unlink(missing_ok=True)


def _damage() -> str:
    """What `verify` found last; "" if nothing."""
    with suppress(OSError, ValueError):
        faults = int((state_home() / NOTE).read_text("ascii")[:20])
        return f"`dejavu archive verify` found {faults} fault{'s' * (faults != 1)}"
    return ""


class _Tolerance(NamedTuple):
    """How many turns an index may lack, and what happens beyond."""

    turns: float
    effect: str
    catches_up: str
    fix: str


_TOLERANCES = {
    "search index": _Tolerance(
        MOST_TURNS, "searches miss some of them", "the next search catches up",
        "run `dejavu search` when no other command writes the index; the disk needs room",
    ),
    "recall index": _Tolerance(
        MAX_INDEX_LAG, "prompts get no history until it catches up", "the next prompt catches up",
        "wait for a running `dejavu sync` or daemon, or run `dejavu memory find`",
    ),
}  # fmt: skip


def derived_data(archive: Archive) -> Iterator[Finding]:
    """Yield a finding for each index of an open archive."""
    with ExitStack() as stack:
        recall = Recall(archive)
        indexes: list[Derived] = []
        for known, one in (
            (archive.search_engine.is_kept, archive.search_engine),
            (recall.is_kept, recall),
        ):
            if known:
                indexes.append(one)
            else:
                yield Finding(
                    subject=one.name, severity=Severity.OK,
                    message="none on this machine: the server answers; `dejavu sync --index` makes one",
                    facts={"conversations": 0, "turns": 0},
                )  # fmt: skip
        tolerances = dict(_TOLERANCES)
        for part in parts("derived"):
            index = stack.enter_context(part.existing(archive))
            if index is not None:
                indexes.append(index)
                tolerances[part.NAME] = _Tolerance(float("inf"), "", part.CATCHES_UP, "")
        for index in indexes:
            try:
                yield _lag_finding(tolerances[index.name], index.name, index.lag())
            except ArchiveError as error:
                yield Finding(
                    subject=index.name, severity=Severity.WARNING, message=str(error),
                    fix="free disk space, or delete the index's folder in the archive: it is rebuilt",
                )  # fmt: skip


def _lag_finding(tolerance: _Tolerance, name: str, lag: Lag) -> Finding:
    beyond = lag.turns + lag.entries > tolerance.turns
    message = "up to date"
    if lag.conversations:
        effect = tolerance.effect if beyond else tolerance.catches_up
        behind = counted(lag.conversations, "conversation")
        message = f"{behind} behind ({counted(lag.turns, 'turn')}): {effect}"
    return Finding(
        subject=name, severity=Severity.WARNING if beyond else Severity.OK, message=message,
        fix=tolerance.fix if beyond else "",
        facts={"conversations": lag.conversations, "turns": lag.turns},
    )  # fmt: skip


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
        f"{Vector(vector).label}: {describe_counts(dict(counts))}"
        for vector, counts in sums.items()
        if +counts
    ]
    yield Finding(
        subject="vectors", severity=Severity.WARNING if different else Severity.OK,
        message=f"{counted(len(statistics), 'conversation')} captured from several sources, "
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
    what = "session files" if own else failure.vector.label
    return Finding(
        subject=f"{failure.agent} {failure.vector}", severity=Severity.WARNING,
        message=f"no turns from its {what}, though another source captured the session: "
        f"{failure.reason}; that source's turns are kept",
        fix=f"check that {failure.agent}'s folder exists and is readable; "
        f"`dejavu sync --agent {failure.agent}` imports it" if own else "`dejavu init --upgrade`",
        facts={
            "agent": failure.agent, "vector": str(failure.vector), "reason": failure.reason,
            "conversation": failure.conversation, "at": failure.at,
        },
    )  # fmt: skip


def memory() -> Iterator[Finding]:
    """Yield the state of the vectors, and a warning where exchanges are missing in the index."""
    try:
        with open_archive() as archive:
            missing = skipped(archive.root / FOLDER)
            without = pending(archive)
    except (NotFoundError, ArchiveError):
        return
    if without is not None:
        left = f"{counted(without, 'conversation')} without; until then words find them"
        yield Finding(
            subject="sentence vectors", severity=Severity.OK,
            message=left if without else "up to date", facts={"conversations": without},
        )  # fmt: skip
    if missing:
        yield Finding(
            subject="memory",
            severity=Severity.WARNING,
            message=f"{len(missing)} exchanges could not be indexed, so `recall` does not find "
            f"them (`search` does); the last: {missing[-1]}",
            fix="please report that line; it names code, never your conversations",
            facts={"skipped": missing},
        )
