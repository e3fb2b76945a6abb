"""`dejavu archive reparse`: rebuild every turn from the archived raw data. Costs O(raw bytes)."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from dejavu.archive.access import open_archive
from dejavu.ingest.reparse import reparse
from dejavu.model.plural import counted

from ..command_line.output import one_line, print_json, print_note

if TYPE_CHECKING:
    from ..command_line.parameters import Json


def command(json: Json = False) -> None:
    """Rebuild all turns from the archived raw data."""
    count = 0

    def show(_key: str) -> None:
        nonlocal count
        count += 1
        if sys.stderr.isatty() and count % 20 == 0:
            sys.stderr.write(f"\r\x1b[K{count} sources")

    with open_archive(write=True) as archive:
        result = reparse(archive, progress=show)
    if json:
        failed = [{"path": path, "reason": reason} for path, reason in result.failed]
        changed = sorted(result.changed)
        print_json(
            {
                "sources": result.sources, "changed": changed, "left": result.left,
                "failed": failed,
            }
        )  # fmt: skip
        return
    print(
        f"{counted(result.sources, 'source')} parsed, "
        f"{counted(len(result.changed), 'conversation')} changed"
    )
    for path, reason in result.failed:
        print_note(f"not parsed: {one_line(path)}: {one_line(reason)}")
    if result.left:
        print_note(f"{counted(len(result.left), 'source')} left unchanged: no parser can read them")
