"""`dejavu reparse`: rebuild every turn from the archived raw data. Costs O(raw bytes)."""

import sys

from dejavu.archive.access import open_archive
from dejavu.ingest.reparse import reparse

from .options import Json
from .output import print_json, print_note


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
        print_json(
            {"sources": result.sources, "changed": sorted(result.changed), "left": result.left}
        )
        return
    print(f"{result.sources} sources parsed, {len(result.changed)} conversations changed")
    if result.left:
        print_note(f"{len(result.left)} sources left unchanged: no parser can read them")
