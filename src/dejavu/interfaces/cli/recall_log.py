"""`dejavu recall-log`: what was recalled or injected, when, for which prompt."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Annotated, Any

import msgspec

from dejavu.archive.access import NoArchiveError, open_archive
from dejavu.model import to_iso
from dejavu.recall import Memory
from dejavu.recall.injection import audit

from .output import first, local_time, one_line, print_json, print_note, style

if TYPE_CHECKING:
    import typer

    from .options import Json, Limit


def command(
    limit: Limit = 20,
    injections: Annotated[
        bool, typer.Option("--injections", help="List what was injected into prompts instead.")
    ] = False,
    json: Json = False,
) -> None:
    """List recent recalls or injections."""
    rows: list[dict[str, Any]] = []
    try:
        with open_archive() as archive:
            entries: Iterable[Any] = (
                audit(archive, limit=limit + 1)
                if injections
                else Memory(archive).recall_log(limit=limit + 1)
            )
            rows = [msgspec.to_builtins(entry) for entry in first(limit, entries)]
    except NoArchiveError:
        pass  # nothing is logged then, which is said below
    if json:
        key = "injections" if injections else "recalls"
        print_json({key: [{**row, "at": to_iso(row["at"])} for row in rows]})
        return
    for row in rows:
        subject = row.get("context") or row.get("workspace") or row.get("session") or "-"
        print(f"{local_time(row['at'])} {one_line(subject, 100)}")
        for name, score in _scores(row):
            print(f"    {style(name, '2')} {score:.2f}")
    if not rows:
        print_note("no injections yet" if injections else "no recalls yet")


def _scores(row: dict[str, Any]) -> list[tuple[str, float]]:
    """The ids and scores of a row, whichever log it is of."""
    results: list[dict[str, Any]] = row.get("results", [])
    items: list[tuple[str, float]] = row.get("items", [])
    return [(result["id"], result["score"]) for result in results] or [
        (item[0], item[1]) for item in items
    ]
