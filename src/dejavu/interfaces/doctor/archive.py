"""The archive: does it open, what is in it, is there space, is its index behind or a part damaged.

Counting reads every conversation's summary; `dejavu archive verify` checks all else, and what it found last is
told until it finds nothing. Costs O(conversations).
"""

import shutil
from collections.abc import Iterator
from contextlib import suppress

from dejavu.archive.access import open_archive
from dejavu.archive.maintenance.old_copies import leftovers
from dejavu.config.archive_address import archive_shown
from dejavu.config.paths import is_server, private_folder, state_home
from dejavu.model import ArchiveError, ArchiveUnavailableError, NotFoundError
from dejavu.model.plural import counted

from .derived_data import derived_data
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
            indexes = list(derived_data(opened))
            copies = leftovers(opened.root) if not is_server(location) else []
    except NotFoundError:
        yield Finding(
            subject="archive", severity=Severity.WARNING, message=f"none yet at {location}",
            fix="`dejavu sync` imports what your agents keep",
        )  # fmt: skip
        return
    except ArchiveUnavailableError as error:
        yield Finding(
            subject="archive", severity=Severity.ERROR, message=str(error),
            fix="nothing is known to be damaged: try again once the server answers",
        )  # fmt: skip
        return
    except ArchiveError as error:
        yield Finding(
            subject="archive",
            severity=Severity.ERROR,
            message=str(error),
            fix="`dejavu archive verify` names the damage, `--repair` brings back what can be, "
            "`dejavu archive restore` puts a backup in its place",
        )
        return
    megabytes = counts.stored_bytes / (1 << 20)
    held = f"{counted(counts.conversations, 'conversation')}, {counted(counts.turns, 'turn')}"
    summary = f"{held}, {megabytes:.1f} MiB"
    if stale:
        summary += f", {stale} slots of dead readers freed"
    here = " on this machine" if is_server(location) else ""
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
            fix="`dejavu archive verify --repair` brings back what can be",
        )  # fmt: skip
    yield from indexes
    if copies:
        yield Finding(
            subject="older archives", severity=Severity.WARNING,
            message=f"{len(copies)} beside it, which `restore`, `verify --repair` or a killed command "
            f"left: {', '.join(path.name for path in copies[:3])}",
            fix="delete them when you miss nothing; `dejavu archive compact` removes unfinished ones",
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
        return f"`dejavu archive verify` found {faults} fault{'s' * (faults != 1)}"
    return ""
