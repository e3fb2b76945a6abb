"""`dejavu stats`: conversations, turns, tokens and cost, by agent, model, workspace and day.

Costs O(conversations) and O(turns of what changed since the last time): sums are kept in a derived
file in the archive's folder, which may be deleted at any time.
"""

import shutil
import sys
from collections.abc import Iterator
from datetime import date, datetime
from pathlib import Path
from typing import Annotated

import typer

from dejavu.archive.access import full_workspace, open_archive
from dejavu.config.clock import now
from dejavu.export.stats import Ledger, Measure, as_lines, as_page, tally

from .options import Agent, Instance, Json, Since, Until, Workspace, moment
from .output import paint, print_json


def command(
    workspace: Workspace = None,
    instance: Instance = None,
    agent: Agent = None,
    since: Since = None,
    until: Until = None,
    measure: Annotated[
        Measure, typer.Option("--measure", "-m", help="What bars and calendar show.")
    ] = Measure.TURNS,
    html: Annotated[bool, typer.Option("--html", help="A page, to stdout or to -o FILE.")] = False,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Where the page goes; replaced.")
    ] = None,
    json: Json = False,
) -> None:
    """Show figures: who, where, when, how much."""
    if html and json:
        raise typer.BadParameter("choose --html or --json")
    if output is not None and not html:
        raise typer.BadParameter("-o is for the page: add --html")
    begun, ended = moment(since), moment(until)
    with open_archive() as archive:
        heads = archive.scan(
            workspace=full_workspace(archive, workspace),
            instance=instance,
            agent=agent,
            since=begun,
            until=ended,
        )
        ledger = Ledger(archive, archive.root / "stats.msgpack")
        counted = tally((head, ledger.sums(head, begun, ended)) for head in heads)
    if json:
        print_json(counted.to_plain())
    elif html:
        _write(as_page(counted, today=_today(ended), measure=measure), output)
    else:
        width = shutil.get_terminal_size((100, 24)).columns
        for line in as_lines(
            counted, today=_today(ended), width=width, paint=paint, measure=measure
        ):
            print(line)


def _today(ended: float | None) -> date:
    """The last day of the calendar: that of `--until`, at most today."""
    at = now() if ended is None else min(ended, now())
    return datetime.fromtimestamp(at).astimezone().date()


def _write(pieces: Iterator[str], output: Path | None) -> None:
    if output is None:
        sys.stdout.buffer.writelines(piece.encode() for piece in pieces)
        return
    output.touch(mode=0o600)
    with output.open("w", encoding="utf-8") as file:
        file.writelines(pieces)
