"""The archive: does it open, what is in it, is there space, is its index behind or a part damaged.

Counting reads every conversation's summary; `dejavu verify` checks all else, and what it found last is
told until it finds nothing. Costs O(conversations).
"""

import shutil
from collections.abc import Iterator
from contextlib import suppress

from dejavu.archive import Archive
from dejavu.archive.access import open_archive
from dejavu.archive.maintenance.old_copies import leftovers
from dejavu.archive.search.direct import MOST_TURNS
from dejavu.config.paths import archive_shown, private_folder, state_home
from dejavu.model import ArchiveError, NotFoundError
from dejavu.recall import Recall
from dejavu.recall.injection import MAX_INDEX_LAG

from .finding import Finding, Severity

_MIN_FREE = 1 << 30
"""Bytes; less free space than this is a warning."""
_FULL = 16 << 20
"""Bytes; with less, the next commit may fail."""
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
            index = _index(opened)
            recall = _recall_index(opened)
            copies = leftovers(opened.root) if "://" not in location else []
    except NotFoundError:
        yield Finding(
            subject="archive", severity=Severity.WARNING, message=f"none yet at {location}",
            fix="`dejavu sync` imports what your agents keep",
        )  # fmt: skip
        return
    except ArchiveError as error:
        yield Finding(
            subject="archive",
            severity=Severity.ERROR,
            message=str(error),
            fix="`dejavu verify` names the damage, `dejavu verify --repair` brings back what can be, "
            "`dejavu restore` puts a backup in its place",
        )
        return
    megabytes = counts.stored_bytes / (1 << 20)
    summary = f"{counts.conversations} conversations, {counts.turns} turns, {megabytes:.1f} MiB"
    if stale:
        summary += f", {stale} slots of dead readers freed"
    here = " on this machine" if "://" in location else ""
    low = free < max(_MIN_FREE, counts.stored_bytes // 10)
    full = free < _FULL
    yield Finding(
        subject="archive",
        severity=Severity.ERROR if full else Severity.WARNING if low else Severity.OK,
        message=f"{location}: {summary}, {free // (1 << 20)} MiB free{here}",
        fix="free some disk space, or new conversations cannot be stored" if low else "",
        facts={
            "path": location, **counts._asdict(), "stale_readers": stale, "free_bytes": free,
        },
    )  # fmt: skip
    if damage := _damage():
        yield Finding(
            subject="archive damage", severity=Severity.ERROR, message=damage,
            fix="`dejavu verify --repair` brings back what can be",
        )  # fmt: skip
    yield index
    if recall is not None:
        yield recall
    if copies:
        yield Finding(
            subject="older archives", severity=Severity.WARNING,
            message=f"{len(copies)} beside it, which `restore`, `verify --repair` or a killed command "
            f"left: {', '.join(path.name for path in copies[:3])}",
            fix="delete them when you miss nothing; `dejavu gc` removes unfinished ones",
            facts={"paths": [str(path) for path in copies]},
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
        return f"`dejavu verify` found {faults} fault{'s' * (faults != 1)}"
    return ""


def _recall_index(opened: Archive) -> Finding | None:
    """Whether a prompt's hook stays silent because too much is waiting to be indexed for it."""
    waiting = Recall(opened).pending(MAX_INDEX_LAG)
    if waiting <= MAX_INDEX_LAG:
        return None
    return Finding(
        subject="recall index", severity=Severity.WARNING,
        message="more is new than a prompt's hook takes in: it quotes nothing of history until that "
        "is indexed",
        fix="a running `dejavu sync` or daemon is at it; else `dejavu recall` goes on with it",
        facts={"turns_at_least": waiting},
    )  # fmt: skip


def _index(opened: Archive) -> Finding:
    """How far behind the search index is; a search looks at a bounded number of turns itself."""
    try:
        conversations, turns = opened.search_engine.behind()
    except ArchiveError as error:
        return Finding(
            subject="search index", severity=Severity.WARNING, message=str(error),
            fix="make room, or delete the folder `search` in the archive: it is made anew",
        )  # fmt: skip
    beyond = turns > MOST_TURNS
    message = "knows every conversation"
    if conversations:
        message = f"{conversations} conversations ({turns} turns) behind"
        message += ": searches do not see all of them" if beyond else "; the next search catches up"
    return Finding(
        subject="search index", severity=Severity.WARNING if beyond else Severity.OK,
        message=message,
        fix="`dejavu search` catches up where nothing else writes the index and there is room"
        if beyond else "",
        facts={"conversations": conversations, "turns": turns},
    )  # fmt: skip
