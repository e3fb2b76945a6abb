"""`dejavu recall-log`: what was recalled, when, for what."""

from typing import Annotated, Any

import msgspec
import typer

from dejavu.archive.access import NoArchiveError, open_archive
from dejavu.model import to_iso
from dejavu.recall import Memory
from dejavu.recall.injection import audit

from .options import Json, Limit
from .output import line, note, paint, print_json
from .recall import moment


def command(
    limit: Limit = 20,
    injections: Annotated[
        bool, typer.Option("--injections", help="What was put before prompts, instead.")
    ] = False,
    json: Json = False,
) -> None:
    """Show the last recalls (or injections), the newest first."""
    rows: list[dict[str, Any]] = []
    try:
        with open_archive() as archive:
            found = audit(archive, limit=limit) if injections else None
            entries = found if found is not None else Memory(archive).recall_log(limit=limit)
            rows = [msgspec.to_builtins(one) for one in entries]
    except NoArchiveError:
        pass  # nothing is logged there, either: said below
    if json:
        key = "injections" if injections else "recalls"
        print_json({key: [{**row, "at": to_iso(row["at"])} for row in rows]})
        return
    for row in rows:
        told = row.get("context") or row.get("workspace") or row.get("session") or "-"
        print(f"{moment(row['at'])} {line(told, 100)}")
        for name, score in _scores(row):
            print(f"    {paint(name, '2')} {score:.2f}")
    if not rows:
        note("nothing was put before a prompt yet" if injections else "nothing was recalled yet")


def _scores(row: dict[str, Any]) -> list[tuple[str, float]]:
    """The ids and scores of a row, whichever log it is of."""
    results: list[dict[str, Any]] = row.get("results", [])
    items: list[tuple[str, float]] = row.get("items", [])
    return [(one["id"], one["score"]) for one in results] or [(one[0], one[1]) for one in items]
