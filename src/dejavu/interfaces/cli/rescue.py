"""`dejavu rescue ROOT`: everything below a tree of instance homes, before it is pruned.

Exit code 1 if anything was left behind; what could not be read is named.
"""

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from dejavu.archive.access import open_archive
from dejavu.config.instance import instance_of
from dejavu.config.settings import load_config
from dejavu.ingest.final_sync import sync_final
from dejavu.ingest.find_homes import homes_below
from dejavu.ingest.sync import Report

from .options import Json
from .output import line, note, print_json
from .sync_report import plain, tell_final, told


def command(
    root: Annotated[Path, typer.Argument(exists=True, file_okay=False, help="A folder of homes.")],
    workspace: Annotated[
        str | None, typer.Option("--workspace", help="The project all of it belongs to.")
    ] = None,
    json: Json = False,
) -> None:
    """Archive every agent's history below a folder of homes."""
    found: list[str] = []
    closed: list[OSError] = []
    total, config = Report(), load_config()
    with open_archive(write=True) as archive:
        for below in homes_below(root.absolute(), workspace, closed=closed.append):
            home = replace(below, instance=instance_of(below.instance, config))
            report = sync_final(archive, [home])
            found.append(home.instance)
            total.merge(report)
            if not json:
                print(f"{line(home.instance)}: {told(report)}")
    total.unreadable += [(str(error.filename), str(error)) for error in closed]
    if not found:
        note(f"no agent left a trace below {root}")
    if json:
        print_json({"homes": found, **plain(total)})
    elif found or closed:
        tell_final(total)
    if total.unreadable:
        raise typer.Exit(4 if total.unkept else 1)
