"""`dejavu verify`: check checksums, counts and reachability. Costs O(archive)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import msgspec

from dejavu.archive.access import open_archive
from dejavu.ingest.repair import repair

from .output import one_line, print_json, print_note
from .stdio import ExitError

if TYPE_CHECKING:
    import typer

    from .options import Json


def command(
    repair_it: Annotated[
        bool, typer.Option("--repair", help="Bring back what can be from the archive's own raw.")
    ] = False,
    json: Json = False,
) -> None:
    """Check the archive for damage."""
    if repair_it:
        result = repair()
        for name in result.brought_back:
            print_note(f"{name} was read again from its raw")
        for name in result.left:
            print_note(f"{name} is damaged still: `dejavu restore` a backup, or sync it anew")
        if result.aside is not None:
            print_note(f"the damaged archive is in {one_line(str(result.aside))}")
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
        raise ExitError(4)
