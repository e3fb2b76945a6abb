"""The archive: does it open, what is in it, is there space? `dejavu verify` checks deeper."""

import shutil
from collections.abc import Iterator

from dejavu.archive.access import open_archive
from dejavu.config.paths import archive_shown
from dejavu.model import ArchiveError, NotFoundError

from .finding import Finding, Severity

_MIN_FREE = 1 << 30
"""Bytes; less free space than this is a warning."""


def archive() -> Iterator[Finding]:
    """Yield one finding."""
    location = archive_shown()
    try:
        with open_archive() as opened:
            counts = opened.counts()
            stale = opened.backend.stale_readers()
            free = shutil.disk_usage(opened.root).free
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
            fix="`dejavu verify` names the damage; `dejavu restore` puts a backup in its place",
        )
        return
    megabytes = counts.stored_bytes / (1 << 20)
    summary = f"{counts.conversations} conversations, {counts.turns} turns, {megabytes:.1f} MiB"
    if stale:
        summary += f", {stale} slots of dead readers freed"
    here = " on this machine" if "://" in location else ""
    low = free < max(_MIN_FREE, counts.stored_bytes // 10)
    yield Finding(
        subject="archive", severity=Severity.WARNING if low else Severity.OK,
        message=f"{location}: {summary}, {free // (1 << 20)} MiB free{here}",
        fix="free some disk space, or new conversations cannot be stored" if low else "",
        facts={
            "path": location, **counts._asdict(), "stale_readers": stale, "free_bytes": free,
        },
    )  # fmt: skip
