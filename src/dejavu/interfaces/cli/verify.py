"""`dejavu verify`: is the archive whole? Checks checksums, counts and reachability. O(archive)."""

from typing import Any

import msgspec
import typer

from dejavu.archive.access import open_archive

from .options import Json
from .output import line, print_json


def command(json: Json = False) -> None:
    """Check the archive from end to end."""
    with open_archive() as archive:
        report = archive.verify()
    if json:
        plain: dict[str, Any] = msgspec.to_builtins(report)
        print_json({**plain, "clean": report.clean})
    else:
        looked = f"{report.conversations} conversations, {report.turns} turns"
        print(f"{looked}, {report.sources} sources, {report.chunks} raw chunks looked at")
        for fault in report.faults:
            print(line(fault))
        print("everything is whole" if report.clean else f"{len(report.faults)} faults")
    if not report.clean:
        raise typer.Exit(4)
