"""`dejavu archive verify`: check checksums, counts and reachability. Costs O(archive)."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Annotated, Any

import msgspec

from dejavu.archive.access import open_archive
from dejavu.ingest.lost_records import cure
from dejavu.ingest.repair import RepairResult, repair
from dejavu.model.plural import counted

from ..command_line.output import one_line, print_json, print_note
from ..command_line.parameters import Option
from ..command_line.stdio import ExitError
from ..doctor.archive import note_faults

if TYPE_CHECKING:
    from dejavu.archive.maintenance.verify import Report

    from ..command_line.parameters import Json


def command(
    repair_it: Annotated[
        bool,
        Option("--repair", help="Save what can be read; the damaged archive is moved aside."),
    ] = False,
    json: Json = False,
) -> None:
    """Check the archive for damage."""
    result = repair() if repair_it else None
    if result is not None:
        _report_repair(result)
    lost = result is not None and not result.is_whole
    with open_archive() as archive:
        report = archive.maintenance.verify()
    with suppress(OSError):
        note_faults(len(report.faults) + report.uncounted)
    if json:
        document: dict[str, Any] = msgspec.to_builtins(report)
        if result is not None:
            document["repair"] = {**result._asdict(), "aside": result.aside and str(result.aside)}
        print_json({**document, "clean": report.clean})
    else:
        checked = (
            counted(report.conversations, "conversation"), counted(report.turns, "turn"),
            counted(report.sources, "source"), counted(report.chunks, "raw chunk"),
        )  # fmt: skip
        print(f"{', '.join(checked)} checked")
        _say_what_is_hidden(report)
        for fault in report.faults:
            print(one_line(fault))
        clean = "no damage is left, but not all came back" if lost else "no damage found"
        print(clean if report.clean else counted(len(report.faults), "fault"))
    if lost or not report.clean:
        raise ExitError(4)


def _say_what_is_hidden(report: Report) -> None:
    """Say on stderr what a member's login could not look at."""
    if report.partial:
        print_note(
            "this login may not read all of the archive: its counters were not compared, and what nothing "
            "leads to was not looked for; its keeper can"
        )
    for name in report.hidden:
        print_note(
            f"{name}: its raw was not checked, because its session log is shared with a project that is hidden "
            "from this login"
        )


def _report_repair(result: RepairResult) -> None:
    """Say on stderr what was brought back, and what was not."""
    if result.aside is None:
        return
    print_note(f"{result.faults} fault{'s' * (result.faults != 1)} repaired")
    for name in result.brought_back:
        print_note(f"{name} was read again, whole")
    for name, turns in result.partly.items():
        lost = "what could be read" if turns is None else f"all but {turns} turns"
        print_note(f"{name}: {lost} was kept; a backup may have the rest")
    for name in result.gone:
        print_note(f"{name} is lost; a backup may have it")
    for name in result.lost:
        print_note(f"a record is lost: {one_line(name)}; {cure(name)}")
    if result.pages_lost:
        if result.turns_lost is None:
            missing = "it is unknown how many conversations are missing"
        else:
            missing = f"{result.turns_lost} of {result.turns} turns are missing"
        print_note(f"parts of the file were lost: {missing}; a backup may have them")
    if result.unmasked:
        print_note(
            "secrets that were masked may be back in what is read from agents' own files: "
            "`dejavu secrets mask --native` masks them again"
        )
    print_note(
        f"the damaged archive is in {one_line(str(result.aside))}: delete it once nothing is missing; "
        "`dejavu sync` reads again what your agents still have"
    )
