"""`dejavu verify`: is the archive whole? Checks checksums, counts and reachability. O(archive)."""

from typing import Any

import msgspec
import typer

from ..compose import open_archive
from .options import Json
from .output import line, print_json


def command(json: Json = False) -> None:
    """Check the archive from end to end."""
    with open_archive() as archive:
        report = archive.verify()
    plain: dict[str, Any] = msgspec.to_builtins(report)
    if json:
        print_json(plain)
    else:
        for name, value in plain.items():
            print(f"{name}: {line(str(value))}")
    if not report.ok:
        raise typer.Exit(4)
