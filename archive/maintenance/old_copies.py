"""Older copies of an archive next to it: what was deleted from it is deleted from them, too.

`restore` and `repair` move the old archive aside, as `archive.replaced-N`; a process that was killed
in their middle, or in that of `gc` or `backup`, leaves a folder `.archive.PID.new`. Of these copies
what the archive does not hold any more because it was pruned is removed, and their free pages and
indexes with it; the rest of a copy stays what it was. Costs O(copies).

Tested in: tests/archive/maintenance/test_maintenance.py
"""

import os
import re
import shutil
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from dejavu.model import DejavuError

from ..backends import layout
from ..backends.transaction import Reader

if TYPE_CHECKING:
    from ..store import Archive


_STAGING = re.compile(r"\.(?P<name>.+)\.(?P<pid>\d+)\.new")


class LeftBehind(NamedTuple):
    """What could not be cleaned, why, and what helps: what was deleted may still stand in it."""

    path: Path
    reason: str
    fix: str = "delete that folder if you do not need it"


def copies_of(root: Path) -> list[Path]:
    """The folders of older archives next to the one in `root`, the oldest first."""
    return sorted(path for path in root.parent.glob(f"{root.name}.replaced-*") if path.is_dir())


def leftovers(root: Path) -> list[Path]:
    """Every folder next to `root` that holds an older or unfinished copy of it."""
    return [*copies_of(root), *root.parent.glob(f".{root.name}.*.new")]


def remove_staging(root: Path) -> int:
    """Remove what killed processes left next to `root`; return how many folders that were.

    One that is an archive may be the old one of a `restore` that was killed at its end: it becomes
    an older copy.
    """
    removed = 0
    for path in root.parent.glob(f".{root.name}.*.new"):
        match = _STAGING.fullmatch(path.name)
        if match is None or match["name"] != root.name or _is_running(int(match["pid"])):
            continue
        if (path / layout.MARKER).is_file() and (path / layout.DATA).is_file():
            path.rename(root.with_name(f"{root.name}.replaced-{time.time_ns()}"))
        else:
            shutil.rmtree(path, ignore_errors=True)
        removed += 1
    return removed


def clean_copies(archive: "Archive") -> list[LeftBehind]:
    """Remove from the older copies what was pruned from the archive; return those that failed."""
    if not (archive.root / layout.DATA).exists():
        return []  # a server's copies are tables of it
    gone = archive.backend.read(_pruned)

    def clean(copy: "Archive") -> bool:
        removed = [copy.maintenance.discard(one) for one in gone & copy.backend.read(_held)]
        return any(removed)

    return clean_each_copy(archive, clean)


def clean_each_copy(archive: "Archive", clean: Callable[["Archive"], bool]) -> list[LeftBehind]:
    """Let `clean` remove something from each older copy; return the copies that failed.

    Where it says that it removed anything, the free pages and the indexes of the copy go, too.
    """
    remove_staging(archive.root)
    left: list[LeftBehind] = []
    for path in copies_of(archive.root):
        try:
            with closing(type(archive).open(path, create=False)) as copy:
                if clean(copy):
                    copy.backend.compact()
        except (DejavuError, OSError) as error:
            left.append(LeftBehind(path, str(error)))
    return left


def _pruned(txn: Reader) -> set[str]:
    """The ids of the conversations that were pruned and did not come back."""
    return {name.decode() for name in txn.keys("pruned")} - _held(txn)


def _held(txn: Reader) -> set[str]:
    """The ids of the conversations that are there."""
    return {name.decode() for name in txn.keys("summaries")}


def _is_running(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
