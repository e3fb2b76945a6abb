"""Repair of a damaged archive: what is sound is kept, what can be is parsed again from its raw.

No agent's file is read. Costs O(archive), twice, and the raw of the damaged conversations.
"""

from pathlib import Path
from typing import NamedTuple

from dejavu.archive import Archive
from dejavu.archive.access import open_archive
from dejavu.config.paths import archive_location

from .channel import SOURCES
from .reparse import reparse


class RepairResult(NamedTuple):
    """Ids of the conversations brought back, of those that stay damaged, and the old archive."""

    brought_back: tuple[str, ...]
    left: tuple[str, ...]
    aside: Path | str | None


def repair() -> RepairResult:
    """Repair this user's archive; the damaged one is moved aside.

    Raises:
        NotFoundError: there is none.
        CorruptArchiveError: nothing of it can be read: only a backup brings it back.
    """
    done = Archive.repair(archive_location(), parseable=SOURCES)
    if done.aside is None:
        return RepairResult((), (), None)
    with open_archive(write=True) as archive:
        reparse(archive, only=done.sources)
        there = {summary.id for summary in archive.scan()}
    again = {name for name, cure in done.report.damaged.items() if cure == "reparse"}
    left = set(done.report.damaged) - (again & there)
    return RepairResult(tuple(sorted(again & there)), tuple(sorted(left)), done.aside)
