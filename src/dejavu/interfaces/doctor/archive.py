"""The archive: does it open, and what is in it? `dejavu verify` looks deeper."""

import shutil
from collections.abc import Iterator

from dejavu.archive.access import open_archive
from dejavu.config.paths import archive_shown
from dejavu.model import ArchiveError, NotFoundError

from .finding import Finding, Grade

_ROOM = 1 << 30
"""Bytes: less free than this is worth a word."""


def archive() -> Iterator[Finding]:
    """One finding."""
    location = archive_shown()
    try:
        with open_archive() as opened:
            counts = opened.counts()
            stale = opened.backend.stale_readers()
            free = shutil.disk_usage(opened.root).free
    except NotFoundError:
        yield Finding(
            subject="archive", grade=Grade.NOTE, told=f"none yet at {location}",
            cure="`dejavu sync` reads what your agents have kept so far",
        )  # fmt: skip
        return
    except ArchiveError as error:
        yield Finding(
            subject="archive", grade=Grade.BAD, told=str(error), cure="see `dejavu verify`"
        )
        return
    megabytes = counts.stored_bytes / (1 << 20)
    told = f"{counts.conversations} conversations, {counts.turns} turns, {megabytes:.1f} MiB"
    if stale:
        told += f", {stale} places of readers that died freed"
    here = " on this machine" if "://" in location else ""
    short = free < max(_ROOM, counts.stored_bytes // 10)
    yield Finding(
        subject="archive", grade=Grade.NOTE if short else Grade.GOOD,
        told=f"{location}: {told}, {free // (1 << 20)} MiB free{here}",
        cure="make room: what agents delete meanwhile cannot be kept" if short else "",
        facts={
            "path": location, **counts._asdict(), "stale_readers": stale, "free_bytes": free,
        },
    )  # fmt: skip
