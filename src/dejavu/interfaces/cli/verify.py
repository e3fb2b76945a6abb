"""`dejavu verify`: check checksums, counts and reachability. Costs O(archive)."""

from typing import Any

import msgspec
import typer

from dejavu.archive.access import open_archive

from .options import Json
from .output import one_line, print_json


def command(json: Json = False) -> None:
    """Check the archive for damage."""
    with open_archive() as archive:
        report = archive.verify()
    if json:
        document: dict[str, Any] = msgspec.to_builtins(report)
        print_json({**document, "clean": report.clean})
    else:
        checked = f"{report.conversations} conversations, {report.turns} turns"
        print(f"{checked}, {report.sources} sources, {report.chunks} raw chunks checked")
        for fault in report.faults:
            print(one_line(fault))
        print("no damage found" if report.clean else f"{len(report.faults)} faults")
    if not report.clean:
        raise typer.Exit(4)
