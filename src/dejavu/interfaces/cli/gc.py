"""`dejavu archive compact`: delete unreachable records, pack old conversations, shrink the file.

Packing is bounded: a run packs at most 1 GiB of raw bytes and says what is left for the next;
`--all` continues until nothing is.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

from dejavu.archive.access import open_archive
from dejavu.services.deletion import erase_deleted

from ..command_line.output import print_json, print_left_behind
from ..command_line.parameters import Option

if TYPE_CHECKING:
    from dejavu.archive import Archive
    from dejavu.archive.maintenance.maintenance import GcResult

    from ..command_line.parameters import Json


def command(
    compact: Annotated[
        bool,
        Option("--compact/--no-compact", help="Rewrite the archive without its free pages."),
    ] = True,
    pack_after: Annotated[
        float,
        Option("--pack-after", metavar="DAYS", min=0, help="Pack what is unchanged for this long."),
    ] = 30.0,
    everything: Annotated[bool, Option("--all", help="Pack everything, not only 1 GiB.")] = False,
    json: Json = False,
) -> None:
    """Free unused space in the archive.

    Deleted conversations cannot be brought back afterwards.
    """
    with open_archive(write=True) as archive:
        if compact:
            erase_deleted(archive)
        done = archive.maintenance.gc(
            compact=compact, pack_after=pack_after, pack_bytes=sys.maxsize if everything else None
        )
        if compact:
            _index_again(archive)
    print_left_behind(done.left)
    figures = {name: getattr(done, name) for name in _FIGURES}
    if json:
        packed = None if done.packed is None else done.packed._asdict()
        print_json({**figures, "left": [str(copy.path) for copy in done.left], "packed": packed})
    else:
        print(", ".join(f"{value} {name.replace('_', ' ')}" for name, value in figures.items()))
        _print_packed(done)


def _index_again(archive: Archive) -> None:
    """Rebuild what `--compact` dropped: the next `recall` or prompt would have to wait for it."""
    from dejavu.recall.update_indexes import update_indexes  # of no use without --compact

    update_indexes(archive)


_FIGURES = ("orphans", "stale_readers", "freed_bytes")


def _print_packed(done: GcResult) -> None:
    """Say what was packed, and how the rest is."""
    packed = done.packed
    if packed is None or not (packed.raw_bytes or packed.pending_bytes):
        return
    left = f"; {_mb(packed.pending_bytes)} left, run it again" if packed.pending_bytes else ""
    print(
        f"packed {_mb(packed.raw_bytes)} of {packed.sources} old sessions, "
        f"{_mb(packed.saved_bytes)} less{left}"
    )


def _mb(size: int) -> str:
    return f"{size / 1e6:,.1f} MB"
